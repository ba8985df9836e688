//! The program from outside: what its commands print, leave behind and end with.

mod commands;
mod program;
mod serve;
