//! The first start: an owner to begin with, and its secrets to the person who started the server,
//! never to the log.

use std::io::{ErrorKind, IsTerminal, Write, stdout};
use std::net::SocketAddr;
use std::path::Path;

use anyhow::Context;
use app::App;
use app::admin::{
    AdminError, CreatedOwner, NewOwner, Operator, create_owner, generate_password, installation,
};
use domain::ids::BankId;
use domain::money::Credits;
use domain::secret::SecretText;
use domain::text::EmailAddress;
use store::fault::FaultKind;
use store::{Meter, owners};

use crate::data_folder::{DataFolder, remove_if_there, remove_unfinished, replace_private};

/// The owner that a new installation begins with.
const EMAIL: &str = "owner@localhost";

/// How the letter of a start begins that has not come to its end.
const UNSURE: &str =
    "El primer arranque no terminó: puede que el primer titular exista. Si es así, entre con:";

/// Label before the password in a letter.
const PASSWORD_LABEL: &str = "contraseña / password:";

/// Its credits.
const CREDITS: Credits = Credits::new(1_000);

/// Makes a first owner where there is none. Its password lies in the data folder before the owner is there: however
/// this process ends, somebody has a way in. A folder that cannot keep it gets no owner.
pub(crate) async fn first_owner(
    app: &App,
    data: &DataFolder,
) -> anyhow::Result<Option<CreatedOwner>> {
    let path = data.first_secrets();
    if is_there_any(app).await? {
        remove_unfinished(&path)?;
        if path.exists() {
            tracing::info!(file = %path.display(), "the first owner's secrets are still in a file");
        }
        return Ok(None);
    }
    // An owner of a start that was cut short may come to be yet, and its password must not be lost.
    let before = password_left(&path)?;
    let is_first = before.is_none();
    let password = match before {
        Some(password) => password,
        None => {
            let password = generate_password(&*app.ids);
            leave(&unsure_letter(&password), data)?;
            password
        }
    };
    let new = NewOwner {
        email: EmailAddress::parse(EMAIL)?,
        name: None,
        password: Some(password),
        credits: CREDITS,
        // Nobody has a bank's key at hand to try it out with.
        test_account: true,
    };
    match create_owner(&Operator::of(app), new).await {
        Ok(created) => {
            note_owners(app).await;
            Ok(Some(created))
        }
        Err(error @ AdminError::Unknown) => {
            let place = path.display();
            Err(error).with_context(|| format!("the first owner, who may exist: see {place}"))
        }
        Err(error) => {
            // What another start has left may be of use to the person who reads it.
            if is_first {
                remove_if_there(&path)?;
            }
            match error {
                // Another node starts on the same new store and was faster.
                AdminError::EmailTaken(_) => Ok(None),
                error => Err(error).context("the first owner"),
            }
        }
    }
}

/// Tells whether there is an owner. Where a server is lost, one that was there counts: those who can be reached are served.
async fn is_there_any(app: &App) -> anyhow::Result<bool> {
    let fault = match app.store.look_up(&Meter::default(), owners::any).await {
        Ok(is_there_any) => {
            if is_there_any {
                note_owners(app).await;
            }
            return Ok(is_there_any);
        }
        Err(fault) => fault,
    };
    let is_out_of_reach =
        fault.kind() == FaultKind::LostServer && installation::has_owners(&app.store).await?;
    if !is_out_of_reach {
        // Served without its first owner, a new installation would be of no use until the next start.
        return Err(fault).context("whether there is an owner is not known");
    }
    tracing::warn!(error = %fault, "not every owner can be reached");
    Ok(true)
}

/// Keeps that there is an owner. Where it cannot be kept, the next start does that.
async fn note_owners(app: &App) {
    if let Err(error) = installation::note_owners(&app.store).await {
        tracing::warn!(?error, "that there is an owner could not be kept");
    }
}

/// The password in the letter of a start that was cut short, if there is one.
fn password_left(path: &Path) -> anyhow::Result<Option<SecretText>> {
    let letter = match std::fs::read_to_string(path) {
        Ok(letter) => SecretText::from(letter),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(error)
                .with_context(|| format!("the first owner's secrets: {}", path.display()));
        }
    };
    // One that came to its end made its owner in another database: that password was somebody's.
    let Some(letter) = letter.expose().strip_prefix(UNSURE) else { return Ok(None) };
    let line = letter.lines().find_map(|line| line.split_once(PASSWORD_LABEL));
    let password = line.map(|(_, password)| password.trim()).filter(|text| !text.is_empty());
    Ok(password.map(SecretText::from))
}

/// Leaves the first owner's secrets in a file of the data folder; on a terminal, answers the letter with them, which
/// is to be shown once nothing else is said.
pub(crate) fn hand_over(
    created: &CreatedOwner,
    at: SocketAddr,
    data: &DataFolder,
) -> anyhow::Result<Option<SecretText>> {
    let letter = letter(created, at);
    if stdout().is_terminal() {
        return Ok(Some(letter.into()));
    }
    leave(&letter, data)?;
    let file = data.first_secrets();
    tracing::info!(file = %file.display(), "the first owner's secrets are in a file");
    Ok(None)
}

/// Shows the letter on the terminal. No file has the secrets from then on.
pub(crate) fn show(letter: &SecretText, data: &DataFolder) -> anyhow::Result<()> {
    writeln!(stdout(), "\n{}", letter.expose())?;
    Ok(remove_if_there(&data.first_secrets())?)
}

/// Puts a letter in the place of the one that is there, if there is any.
fn leave(text: &str, data: &DataFolder) -> anyhow::Result<()> {
    let path = data.first_secrets();
    replace_private(&path, text)
        .with_context(|| format!("the first owner's secrets: {}", path.display()))
}

fn letter(created: &CreatedOwner, at: SocketAddr) -> String {
    let CreatedOwner { email, password, api_key, user_bank, .. } = created;
    let (password, key) = (password.expose(), api_key.expose());
    format!(
        "Primer arranque: ya hay un titular, con {credits} créditos.\n\
         First start: there is an owner now, with {credits} credits.\n\
         \n\
         \x20 correo / e-mail:        {email}\n\
         \x20 {PASSWORD_LABEL}  {password}\n\
         \x20 llave / API key:        {key}\n\
         \x20 panel / dashboard:      http://{at}/app\n\
         \n\
         Se muestran una sola vez. They are shown once.\n\
         {example}",
        credits = CREDITS.get(),
        example = user_bank.map(|bank| example(bank, key, at)).unwrap_or_default(),
    )
}

/// How a payment is verified on the test account.
fn example(user_bank: BankId, key: &str, at: SocketAddr) -> String {
    format!(
        "\n\
         Para verificar un pago en el banco de prueba, que no es dinero:\n\
         To verify a payment on the test bank, which is no money:\n\
         \n\
         curl -sS http://{at}/userbankpayment/{user_bank}/betaserio \\\n\
         \x20 -H 'Authorization: Bearer {key}' -H 'Content-Type: application/json' \\\n\
         \x20 -d '{{\"bank_reference\": \"0000067890\", \"amount\": 150.75}}'\n"
    )
}

fn unsure_letter(password: &SecretText) -> String {
    let password = password.expose();
    format!(
        "{UNSURE}\n\
         The first start was cut short: the first owner may exist. If so, sign in with:\n\
         \n\
         \x20 correo / e-mail:        {EMAIL}\n\
         \x20 {PASSWORD_LABEL}  {password}\n",
    )
}
