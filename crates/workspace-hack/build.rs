//! Without a build script the build-dependencies would count for nothing.

fn main() {}
