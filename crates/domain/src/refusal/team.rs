//! What people read about employees and invitations, in two languages.

use super::Refusal;
use crate::language::Language::{self, En, Es};
use crate::permissions::UnknownPermission;
use crate::rights::{Right, UnknownRight};

impl From<UnknownRight> for Refusal {
    fn from(UnknownRight(given): UnknownRight) -> Self {
        Self::UnknownRight { given }
    }
}

impl From<UnknownPermission> for Refusal {
    fn from(unknown: UnknownPermission) -> Self {
        Self::UnknownPermission { given: unknown.given, right: unknown.right }
    }
}

/// The text of a refusal about employees or invitations, if it is one.
pub(super) fn message(refusal: &Refusal, language: Language) -> Option<String> {
    Some(match refusal {
        Refusal::RightMissing(right) => right_missing(*right, language),
        Refusal::UnknownRight { given } => unknown_right(given, language),
        Refusal::EmployeeLimit { limit } => employee_limit(*limit, language),
        Refusal::Outranked => outranked(language).to_owned(),
        Refusal::EmployeeNotActive => employee_not_active(language).to_owned(),
        Refusal::InvitationInvalid => invitation_invalid(language).to_owned(),
        Refusal::ResetInvalid => reset_invalid(language).to_owned(),
        Refusal::EmailChangeInvalid => email_change_invalid(language).to_owned(),
        Refusal::MailNotConfigured => mail_not_configured(language).to_owned(),
        Refusal::MailLimit { .. } => mail_limit(language).to_owned(),
        Refusal::InvitationAccepted => invitation_accepted(language).to_owned(),
        Refusal::EmailTaken => email_taken(language).to_owned(),
        _ => return None,
    })
}

fn right_missing(right: Right, language: Language) -> String {
    match language {
        Es => format!("Le falta el permiso {right}. El titular puede darlo."),
        En => format!("You lack the permission {right}. The owner can grant it."),
    }
}

fn unknown_right(given: &str, language: Language) -> String {
    let names = Right::all().map(Right::as_str).collect::<Vec<_>>().join(", ");
    match language {
        Es => format!("No existe el permiso {given:?} para empleados. Existen: {names}."),
        En => format!("There is no permission {given:?} for employees. There are: {names}."),
    }
}

fn employee_limit(limit: i64, language: Language) -> String {
    match language {
        Es => {
            format!("Ya hay {limit} personas invitadas, el máximo. Elimine una que ya no esté.")
        }
        En => {
            format!("There are {limit} invited people already, the most. Remove one who has left.")
        }
    }
}

const fn outranked(language: Language) -> &'static str {
    match language {
        Es => {
            "Solo puede dar los permisos que usted tiene, y cambiar a quien no tiene otros. Pídalo al titular."
        }
        En => {
            "You can grant only permissions that you hold, and change only who holds no others. Ask the owner."
        }
    }
}

const fn employee_not_active(language: Language) -> &'static str {
    match language {
        Es => "Su acceso está desactivado. El titular puede activarlo.",
        En => "Your access is deactivated. The owner can activate it.",
    }
}

/// One text for whatever is wrong with it: who has no invitation learns nothing of those that there are.
const fn invitation_invalid(language: Language) -> &'static str {
    match language {
        Es => {
            "invitation not found: la invitación no existe, ya se usó o venció. Si ya eligió su contraseña, inicie \
             sesión; si no, pida otra a quien le invitó."
        }
        En => {
            "invitation not found: the invitation does not exist, was used or has expired. If you chose your password \
             already, sign in; if not, ask whoever invited you for another."
        }
    }
}

/// One text for whatever is wrong with it.
const fn reset_invalid(language: Language) -> &'static str {
    match language {
        Es => {
            "password reset not found: el enlace no existe, ya se usó o venció. Pida otro; sirve durante una hora."
        }
        En => {
            "password reset not found: the link does not exist, was used or has expired. Ask for another; it works for \
             one hour."
        }
    }
}

/// One text for whatever is wrong with it.
const fn email_change_invalid(language: Language) -> &'static str {
    match language {
        Es => {
            "email change not found: el enlace no existe, ya se usó o venció. Pida el cambio otra vez; el enlace sirve \
             durante un día."
        }
        En => {
            "email change not found: the link does not exist, was used or has expired. Ask for the change again; the \
             link works for a day."
        }
    }
}

const fn mail_not_configured(language: Language) -> &'static str {
    match language {
        Es => "Este servicio no envía correo. Pida otra contraseña al operador.",
        En => "This service sends no mail. Ask the operator for another password.",
    }
}

const fn mail_limit(language: Language) -> &'static str {
    match language {
        Es => {
            "too many requests: hoy ya se enviaron 200 correos por cuenta de este titular, el máximo. Espere lo que \
             indica Retry-After."
        }
        En => {
            "too many requests: 200 mails were sent for this owner today, the most. Wait as long as Retry-After says."
        }
    }
}

const fn email_taken(language: Language) -> &'static str {
    match language {
        Es => {
            "Ese correo ya inicia sesión en este servicio y no puede tener dos accesos. Pida que le inviten con otro \
             correo."
        }
        En => {
            "That e-mail address signs in to this service already and cannot have two accesses. Ask to be invited by \
             another address."
        }
    }
}

const fn invitation_accepted(language: Language) -> &'static str {
    match language {
        Es => {
            "Esa persona ya aceptó su invitación. Si perdió su contraseña, elimínela e invítela otra vez."
        }
        En => {
            "That person has accepted the invitation. If the password is lost, remove the person and invite again."
        }
    }
}
