//! The examples of every known form, and texts that must never be taken for income. All made up.

use bank::{Notice, Push};
use domain::matching::PayerFacts;
use proptest::prelude::*;
use serde_json::json;

use super::cursor::{Cursor, plain};
use super::originators::all_forms;
use super::push::Texts;

/// The phone's time of every text: 12:00 UTC.
const AT_MS: i64 = 1_763_640_000_000;

fn body(sender: &str, text: &str) -> Vec<u8> {
    json!({ "from": sender, "text": text, "sentStamp": AT_MS }).to_string().into_bytes()
}

fn read(sender: &str, text: &str) -> Option<Notice> {
    Texts.read(&body(sender, text))
}

const BDV_APP: &str = "com.bancodevenezuela.bdvdigital";
const BDV: &str = "Recibiste un PagomovilBDV por Bs.1.240,50 del 0414-1234567 Ref: 004500012345 en fecha 05-11-26 hora: 14:07.";
const BNC: &str = "BNC Pago Movil Recibido Bs.2350,00 Telf.0416***4321 Dia:05/11/26-09:41 Ref:603100123 Llamar al 0500-0000000 si no realizo esta Operacion";
const BANESCO: &str = "BANESCO REGISTRO: Pago recibido a traves de Pago Movil de PRUEBA U por Bs. 845.5 el 05/11/2026; 16:20 REF 004500098765. Para mas inf. llama +580000000000.";

/// Sender, text, hundredths, the reference as shown, the instant, the phone.
type Vector =
    (&'static str, &'static str, i64, &'static str, Option<&'static str>, Option<&'static str>);

const VECTORS: [Vector; 14] = [
    ("2661", BDV, 124_050, "004500012345", Some("2026-11-05T18:07:00.000Z"), Some("584141234567")),
    (
        "2662",
        "Recibiste un PagomovilBDV por Bs. 210,00 del 0414-1234567 Ref 004500012345 en fecha: 05-11-26 hora: 14:07",
        21_000,
        "004500012345",
        Some("2026-11-05T18:07:00.000Z"),
        Some("584141234567"),
    ),
    (BDV_APP, BDV, 124_050, "004500012345", Some("2026-11-05T18:07:00.000Z"), Some("584141234567")),
    (
        BDV_APP,
        "\"Recibiste un PagomovilBDV de PERSONA DE PRUEBA UNO por Bs.75,00  bajo el numero de operacion 006200054321\"",
        7_500,
        "006200054321",
        None,
        None,
    ),
    (
        BDV_APP,
        "\"Recibiste una transferencia BDV de PERSONA DE PRUEBA UNO por Bs.12.000,00 bajo el número de operación 059100067890\"",
        1_200_000,
        "059100067890",
        None,
        None,
    ),
    (
        BDV_APP,
        "Recibiste una transferencia de otros bancos de APELLIDO PRUEBA NOMBRE por Bs. 90,25 bajo el número de operación 00512345.\nSaldo disponible Bs. 300,00",
        9_025,
        "00512345",
        None,
        None,
    ),
    ("2620", BNC, 235_000, "603100123", Some("2026-11-05T13:41:00.000Z"), None),
    ("bnc.bncnet.mobile2", BNC, 235_000, "603100123", Some("2026-11-05T13:41:00.000Z"), None),
    (
        "com.banesco.samfbancamovilunificada",
        BANESCO,
        84_550,
        "004500098765",
        Some("2026-11-05T20:20:00.000Z"),
        None,
    ),
    (
        "com.banesco.samfbancamovilunificada",
        "BANESCO REGISTRO: Pago recibido a traves de Pago Movil por Bs. 1.0 el 05/11/2026; 16:20 REF 004500098765. Para mas inf. llama +580000000000.",
        100,
        "004500098765",
        Some("2026-11-05T20:20:00.000Z"),
        None,
    ),
    (
        "com.mercantilbanco.mercantilmovil",
        "Tpago recibido Bs. 560,00 del 04241234567 Ref 000050012345, 05/11/2026, 04:20 PM. Conoce la app",
        56_000,
        "000050012345",
        Some("2026-11-05T20:20:00.000Z"),
        Some("584241234567"),
    ),
    (
        "77107",
        "BBVA Provincial informa: has recibido un Pago Movil Dinero Rapido Otros Bancos Ref:004500054321 del Tlf.**67 por Bs          312,40.",
        31_240,
        "004500054321",
        None,
        None,
    ),
    (
        "conexionmipago@bancaribe.com.ve",
        "Bancaribe se complace en informarle que el 05-11-2026 a las 09:30:15, recibió un pago móvil con estos datos:\r\nMonto: 1540,75 Bolívares\r\nTeléfono pagador: 04141234567\r\nTeléfono receptor: 04247654321\r\nReferencia: 004500011111",
        154_075,
        "004500011111",
        Some("2026-11-05T13:30:15.000Z"),
        Some("584141234567"),
    ),
    (
        "no-reply@bancamiga.com",
        "Estimado Sr(a). PERSONA DE PRUEBA El día de hoy recibió un Pago Móvil por Bs. 1.500,00 con Ref. 450001234",
        150_000,
        "450001234",
        None,
        None,
    ),
];

#[test]
fn every_known_form_is_read() {
    for (sender, text, hundredths, reference, at, phone) in VECTORS {
        let notice = read(sender, text).unwrap_or_else(|| panic!("{sender}: {text}"));
        assert_eq!(notice.amount.hundredths(), hundredths, "{text}");
        assert_eq!(notice.reference.shown(), reference, "{text}");
        let at = at.unwrap_or("2025-11-20T12:00:00.000Z");
        assert_eq!(notice.paid_at.unwrap().to_string(), at, "{text}");
        let payer = PayerFacts { phone: notice.payer.phone.clone(), ..PayerFacts::default() };
        assert_eq!(notice.payer, payer, "a text names no payer but by phone");
        assert_eq!(notice.payer.phone.as_ref().map(domain::payer::Phone::as_str), phone, "{text}");
        assert!(notice.movement.is_some());
        assert!(!Texts.is_unread(&body("+584141234567", text)), "not of a listed sender");
        assert!(read("+584141234567", text).is_none(), "not of a listed sender");
    }
}

#[test]
fn without_any_time_an_undated_text_is_unread() {
    let (_, text, ..) = VECTORS[3];
    let body = json!({ "from": BDV_APP, "text": text }).to_string();
    assert!(Texts.read(body.as_bytes()).is_none());
    assert!(Texts.is_unread(body.as_bytes()));
}

/// Outgoing, promotional and secret texts, of senders that are listed.
const NO_INCOME: [&str; 11] = [
    "BDV: La clave de pago para procesar tu operacion es 12345678",
    "Tu codigo para proceder con la vinculacion de tu equipo es 123456",
    "Pago sin contacto realizado en TIENDA por Bs. 90,00, bajo el #1234, disp. 100,00 el 05-11-26 a las 14:07.",
    "Operacion en linea con tu Tarjeta Internacional #1234 por $.12.00",
    "Realizaste un PagomovilBDV por Bs.1.240,50 al 0414-1234567 Ref: 004500012345 en fecha 05-11-26 hora: 14:07.",
    "BBVA Provincial informa Pago Movil desde cuenta 1234 por Bs. 30,206.00. Si no la realizaste envia N al 77106 o llama al 0500 F2026/11/05H14:07:00",
    "BBVA Provincial informa Clave Digital: 12345678",
    "BANESCO REGISTRO: CONSUMO EN PUNTO DE VENTA CON TDD por Bs. 90.00 el 05/11/2026; 16:20 REF 004500098765.",
    "Mercantil informa, clave temporal: 12345678 de Acceso Seguro",
    "BNC Pago Movil Enviado Bs.2350,00 Telf.0416***4321 Dia:05/11/26-09:41 Ref:603100123 Llamar al 0500-0000000 si no realizo esta Operacion",
    "Conoce los nuevos beneficios de tu cuenta",
];

#[test]
fn what_tells_of_no_income_is_neither_read_nor_shown() {
    for text in NO_INCOME {
        for (sender, ..) in VECTORS {
            assert!(read(sender, text).is_none(), "{sender}: {text}");
            assert!(!Texts.is_unread(&body(sender, text)), "{sender}: {text}");
        }
    }
}

#[test]
fn what_may_be_income_in_another_form_is_unread() {
    let text = "Has recibido un pago por Bs. 10,00 con la referencia 123456";
    assert!(read("2661", text).is_none());
    assert!(Texts.is_unread(&body("2661", text)));
}

#[test]
fn a_name_cannot_say_an_amount_or_a_reference() {
    let text = "Recibiste un PagomovilBDV de ANA por Bs.9.000,00 bajo el numero de operacion 111111111111 por Bs.75,00 bajo el numero de operacion 006200054321";
    assert!(read(BDV_APP, text).is_none());
    let cut = "BNC Pago Movil Recibido Bs.2350,00 Telf.0416***43..";
    assert!(read("2620", cut).is_none());
    // An amount in another bank's style is none.
    assert!(read("2661", &BDV.replace("1.240,50", "1240.5")).is_none());
    assert!(read("2620", &BNC.replace("2350,00", "2.350,00")).is_none());
}

proptest! {
    #[test]
    fn whatever_comes_is_read_or_not_and_nothing_breaks(
        text in any::<String>(), bytes in any::<Vec<u8>>(), at in 0usize..14, cut in 0usize..200,
    ) {
        let _ = (Texts.read(&bytes), Texts.is_unread(&bytes));
        let (sender, known, ..) = VECTORS[at];
        let start: String = known.chars().take(cut).collect();
        let mixed = format!("{start}{text}");
        let _ = (read(sender, &mixed), Texts.is_unread(&body(sender, &mixed)));
        if let Some(plain) = plain(&mixed) {
            for form in all_forms() {
                let _ = form(Cursor::new(&plain));
            }
        }
    }

    /// Whatever stands behind an outgoing or promotional text, it is none of money that came.
    #[test]
    fn an_outgoing_text_is_never_income(at in 0usize..11, of in 0usize..14, more in "[ a-zA-Z0-9.,:]{0,60}") {
        let (sender, ..) = VECTORS[of];
        let text = format!("{} {more}", NO_INCOME[at]);
        prop_assert!(read(sender, &text).is_none());
    }
}
