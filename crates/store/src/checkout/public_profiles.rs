//! What owners say to payers about themselves.

use domain::brand::Colour;
use domain::ids::OwnerId;
use domain::payer::{Phone, TaxNumber};
use domain::profile::{PublicName, PublicProfile, SupportPhone, SupportUrl};
use domain::text::EmailAddress;
use domain::time::Timestamp;

use crate::fault::Fault;
use crate::logos;
use crate::sql::Sql;
use crate::statements;
use crate::tx::{Expect, Tx};
use crate::value::Row;

statements! {
    // An owner may have a logo and have said nothing. Its bytes stay where they are.
    FIND = Sql::new(
        "select p.public_name, p.document, p.support_phone, p.whatsapp, p.support_email, \
         p.brand_colour, p.support_url, l.hash, l.kind, l.width, l.height from owners o \
         left join public_profiles p on p.owner_id = $1 left join logos l on l.owner_id = $1 \
         where o.owner_id = $1",
    );

    SET = Sql::new(
        "insert into public_profiles (owner_id, public_name, document, support_phone, whatsapp, \
         support_email, brand_colour, support_url, updated_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         on conflict (owner_id) do update set public_name = excluded.public_name, \
         document = excluded.document, support_phone = excluded.support_phone, whatsapp = excluded.whatsapp, \
         support_email = excluded.support_email, brand_colour = excluded.brand_colour, \
         support_url = excluded.support_url, updated_at = excluded.updated_at",
    );
}

/// Reads what the owner says to payers about itself; empty where it has said nothing.
///
/// # Errors
/// A fault of the store.
pub fn find(tx: &mut Tx<'_>, owner: OwnerId) -> Result<PublicProfile, Fault> {
    let row = tx.query_opt(&FIND, &[owner.into()])?;
    row.map_or_else(|| Ok(PublicProfile::default()), |row| read(&row))
}

/// Keeps what the owner says, in place of what it said before.
///
/// # Errors
/// A fault of the store.
pub fn set(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    profile: &PublicProfile,
    now: Timestamp,
) -> Result<(), Fault> {
    let PublicProfile {
        public_name,
        document,
        support_phone,
        whatsapp,
        support_email,
        support_url,
        brand_colour,
        // It is set by itself.
        logo: _,
    } = profile;
    let params = [
        owner.into(),
        public_name.as_ref().map(PublicName::as_str).into(),
        document.as_ref().map(ToString::to_string).into(),
        support_phone.as_ref().map(SupportPhone::as_str).into(),
        whatsapp.as_ref().map(Phone::as_str).into(),
        support_email.as_ref().map(EmailAddress::as_str).into(),
        brand_colour.map(|colour| colour.to_string()).into(),
        support_url.as_ref().map(SupportUrl::as_str).into(),
        now.into(),
    ];
    tx.defer(&SET, params, Expect::Rows(1))
}

fn read(row: &Row) -> Result<PublicProfile, Fault> {
    let text = |column: &str| row.get::<Option<String>>(column);
    let broken = |what: &str| Fault::broken(format!("a profile with a broken {what}"));
    let name = text("public_name")?.map(|name| PublicName::parse(&name)).transpose();
    let document = text("document")?.map(|text| TaxNumber::parse(&text)).transpose();
    let phone = text("support_phone")?.map(|phone| SupportPhone::parse(&phone)).transpose();
    let whatsapp = text("whatsapp")?.map(|phone| Phone::parse(&phone)).transpose();
    let colour = text("brand_colour")?.map(|colour| Colour::parse(&colour)).transpose();
    let email = text("support_email")?.map(|email| EmailAddress::parse(&email)).transpose();
    let url = text("support_url")?.map(|url| SupportUrl::parse(&url)).transpose();
    Ok(PublicProfile {
        public_name: name.map_err(|_| broken("name"))?,
        document: document.map_err(|_| broken("document"))?,
        support_phone: phone.map_err(|_| broken("phone"))?,
        whatsapp: whatsapp.map_err(|_| broken("WhatsApp number"))?,
        support_email: email.map_err(|_| broken("e-mail address"))?,
        support_url: url.map_err(|_| broken("address for help"))?,
        logo: logos::read(row)?,
        brand_colour: colour.map_err(|_| broken("colour"))?,
    })
}
