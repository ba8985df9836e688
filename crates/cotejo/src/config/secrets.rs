//! Secrets of the configuration that lie in files of their own, where neither the environment nor the configuration file
//! shows them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::ConfigError;
use super::layers::variable;

/// The variable by which a supervisor names the folder of what it passes on. A secret's file there has its key's name.
pub(super) const CREDENTIALS_VARIABLE: &str = "CREDENTIALS_DIRECTORY";

/// The longest secret that is read.
const SECRET_LEN_MAX: u64 = 64 * 1024;

/// The variable that names the file of a secret: `COTEJO_MAIL_PASSWORD_FILE` for `mail.password`.
pub(super) fn variable_of_file(path: &str) -> String {
    format!("{}_FILE", variable(path))
}

/// Reads the secret in a file. `name` is what the file was named by.
pub(super) fn read(name: &str, file: &Path) -> Result<String, ConfigError> {
    let wrong = |problem: String| ConfigError::Value { name: name.to_owned(), problem };
    let shown = file.display();
    let mut text = String::new();
    let opened = File::open(file);
    let read = opened.and_then(|file| file.take(SECRET_LEN_MAX + 1).read_to_string(&mut text));
    match read {
        Err(error) => Err(wrong(format!("the file {shown} cannot be read: {error}"))),
        Ok(_) if text.len() as u64 > SECRET_LEN_MAX => {
            Err(wrong(format!("the file {shown} has more than {SECRET_LEN_MAX} bytes")))
        }
        Ok(_) if text.trim().is_empty() => Err(wrong(format!("the file {shown} is empty"))),
        Ok(_) => Ok(text),
    }
}
