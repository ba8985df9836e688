#!/bin/sh
# Stands for any program, and says how it was called. The compiler says nothing, and fails where it is told to.
name=${0##*/}
[ -z "${SAYS_WHERE-}" ] || [ "$name" != cargo ] || pwd
case $name in
  id) echo "$USER_ID" ;;
  cc) exit "$CC_STATUS" ;;
  *) echo "$name $*" ;;
esac
