//! The operations `GET` and `PUT /v1/profile`: what payers are shown of the owner.

use domain::access::{SetProfile, ShowProfile};
use domain::brand::Colour;
use domain::payer::{Phone, TaxNumber};
use domain::profile::{PublicName, PublicProfile, SupportPhone, SupportUrl};
use domain::text::EmailAddress;
use store::owners::Owner;
use store::{audit, public_profiles};

use crate::audit_entry::audited;
use crate::changes::changed;
use crate::{Act, App, Error, Precondition};

/// Change of an owner's profile. Fields that it does not name stay; fields that it names as nothing are removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileChange {
    /// Its name for payers.
    pub public_name: Option<Option<PublicName>>,
    /// Its tax number.
    pub document: Option<Option<TaxNumber>>,
    /// A telephone number to call.
    pub support_phone: Option<Option<SupportPhone>>,
    /// The number of its WhatsApp account.
    pub whatsapp: Option<Option<Phone>>,
    /// An e-mail address to write to.
    pub support_email: Option<Option<EmailAddress>>,
    /// A page on which it helps.
    pub support_url: Option<Option<SupportUrl>>,
    /// The colour of what payers press.
    pub brand_colour: Option<Option<Colour>>,
}

impl ProfileChange {
    fn of(&self, former: &PublicProfile) -> PublicProfile {
        fn after<T: Clone>(change: &Option<Option<T>>, former: &Option<T>) -> Option<T> {
            change.as_ref().unwrap_or(former).clone()
        }
        PublicProfile {
            public_name: after(&self.public_name, &former.public_name),
            document: after(&self.document, &former.document),
            support_phone: after(&self.support_phone, &former.support_phone),
            whatsapp: after(&self.whatsapp, &former.whatsapp),
            support_email: after(&self.support_email, &former.support_email),
            support_url: after(&self.support_url, &former.support_url),
            brand_colour: after(&self.brand_colour, &former.brand_colour),
            logo: former.logo,
        }
    }
}

/// The name by which people know an owner; empty where there is none.
pub(crate) fn merchant_name(owner: &Owner, profile: &PublicProfile) -> String {
    let public = profile.public_name.as_ref().map(PublicName::as_str);
    public.or(owner.shown_name()).unwrap_or_default().to_owned()
}

/// Shows what payers are shown of the owner.
///
/// # Errors
/// A failure of the store.
pub async fn show(app: &App, act: &Act<ShowProfile>) -> Result<PublicProfile, Error> {
    let owner = act.owner();
    Ok(app.store.look_up(act.meter(), move |tx| public_profiles::find(tx, owner)).await?)
}

/// Changes what payers are shown of the owner, on the pages that are open from their next look on.
/// What changes nothing leaves no line in the audit trail either.
///
/// # Errors
/// A session that ended meanwhile, what somebody else has changed meanwhile, or a failure of the store.
pub async fn set(
    app: &App,
    act: &Act<SetProfile>,
    change: ProfileChange,
    precondition: Precondition<PublicProfile>,
) -> Result<PublicProfile, Error> {
    let (owner, now) = (act.owner(), act.now);
    let entry = audited(app, act, owner.to_string());
    let write = act.write(app, move |tx| {
        let former = public_profiles::find(tx, owner)?;
        precondition.check(&former)?;
        let profile = change.of(&former);
        if profile != former {
            public_profiles::set(tx, owner, &profile, now)?;
            audit::insert_change(tx, owner, &entry, &changed(&former, &profile), now)?;
        }
        Ok(profile)
    });
    write.await
}
