//! `/recibo/{address}` and `/recibo/{address}/pdf`: a receipt as everybody sees it who has its address.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::bank::PAYER;
use testkit::{Owner, Principal, Response, Setup, TestApp, either_engine};

use super::pdf::read_by;
use super::{paid_link, path_of, receipts};
use crate::bdv::{link, start};
use crate::exchange_rate::record_dollar;
use crate::pay::{THEIRS, follow, make, send, text};

const LANGUAGES: [&str; 2] = ["es", "en"];

async fn asked(nobody: &Principal, path: &str, language: &str) -> Response {
    nobody.request("GET", path).header("accept-language", language).send().await
}

/// Reads what a PDF says, in the order in which it is written, without whatever separates words and lines.
fn words_of(pdf: &Response) -> String {
    packed(&read_by("pdftotext", &["-raw", "-", "-"], pdf))
}

fn packed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '\u{c}').collect()
}

/// Undoes what a page does to characters that mean something in it.
fn plain(text: &str) -> String {
    [("&#38;", "&"), ("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">")]
        .into_iter()
        .fold(text.to_owned(), |text, (written, read)| text.replace(written, read))
}

/// The texts between these two in a page, one after the other.
fn between(page: &str, before: &str, after: &str) -> Vec<String> {
    let parts = page.split(before).skip(1);
    parts.map(|rest| plain(rest.split(after).next().unwrap())).collect()
}

/// Names and values of the facts that a page shows.
fn facts(page: &str) -> Vec<(String, String)> {
    let list = page.split("<dl>").nth(1).expect("facts").split("</dl>").next().unwrap();
    let (names, values) =
        (between(list, "<dt>", "</dt>"), between(list, "<dd><span><bdi>", "</bdi>"));
    assert_eq!(names.len(), values.len(), "{list}");
    names.into_iter().zip(values).collect()
}

/// Contents of the tags that messengers read.
fn preview(page: &str) -> Vec<String> {
    between(page, "<meta property=\"og:", ">")
}

async fn only_receipt(owner: &Owner, livemode: bool) -> Value {
    let listed = owner.get(&format!("/v1/receipts?livemode={livemode}")).await.ok();
    let found = listed["receipts"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{listed}");
    found[0].clone()
}

either_engine! {
    async fn page_and_pdf_say_the_same_in_both_languages(setup: Setup) {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        owner.put("/v1/profile", json!({ "public_name": "Ñandú & \"Hijos\" <C.A.>" })).await.ok();
        let account = link(&owner).await;
        record_dollar(&app, "872.3927", "2026-11-19", "2026-11-20").await;
        let more = json!({ "amount": 10, "currency": "USD", "description": "Pedido 7: café y pan" });
        let id = make(&owner.key, &account, more).await;
        let payer = app.nobody();
        bank.pay("000079912345", 872_393, Duration::ZERO);
        let fields = [&[("reference", "912345"), ("seen", "872393")], THEIRS].concat();
        let answer = send(&payer, &format!("/pay/{id}"), &fields).await;
        let paid = text(&follow(&payer, &answer).await);

        let receipt = only_receipt(&owner, true).await;
        let path = path_of(&receipt);
        // The link's page shows the facts at once, and leads to the receipt.
        let known = facts(&paid);
        for (name, value) in [("Monto", "Bs. 8.723,93"), ("Referencia", receipt["bank_reference_id"].as_str().unwrap())] {
            assert!(known.contains(&(name.to_owned(), value.to_owned())), "{name}: {known:?}");
        }
        assert!(paid.contains(&format!("href=\"{path}\">Ver comprobante</a>")), "{paid}");

        for language in LANGUAGES {
            let page = text(&asked(&payer, &path, language).await);
            let words = words_of(&asked(&payer, &format!("{path}/pdf"), language).await);
            let shown = facts(&page);
            assert!(shown.len() >= 9, "{shown:?}");
            for (name, value) in &shown {
                let fact = packed(&format!("{name}{value}"));
                assert!(words.contains(&fact), "{language}, {fact}: {words}");
            }
            let notes = page.split("class=\"notes\">").nth(1).expect("notes");
            let others = [
                between(&page, "<p class=\"merchant\"><bdi>", "</bdi>"),
                between(&page, "<p class=\"amount\">", "</p>"),
                between(notes.split("</div>").next().unwrap(), "<p>", "</p>"),
                between(&page, "<h1>", "</h1>"),
                vec![receipt["url"].as_str().unwrap().to_owned()],
            ];
            assert!(others.iter().all(|said| !said.is_empty()), "{others:?}");
            for said in others.concat() {
                assert!(words.contains(&packed(&said)), "{language}, {said}: {words}");
            }
            assert!(page.contains("role=\"img\" aria-label=\""), "{page}");
            // The rest of who paid is nobody's business.
            for hidden in [PAYER.0.trim_start_matches('0'), "V12345678", "V-12345678"] {
                assert!(!page.contains(hidden) && !words.contains(hidden), "{hidden}: {page}");
            }
        }
        let page = text(&payer.get(&path).await);
        for said in [
            "Comprobante de pago N.º 000001",
            "No es una factura fiscal.",
            "Bs. 872,3927 por USD (BCV, fecha valor 20/11/2026)",
            "USD 10,00",
            "Banco de Venezuela",
            "****0002",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
        let english = text(&asked(&payer, &path, "en").await);
        assert!(english.contains("This is not a tax invoice."), "{english}");
        assert!(english.contains("Payment receipt No. 000001"), "{english}");
    }

    async fn what_is_no_proof_of_money_says_so_on_page_and_pdf(app: TestApp) {
        let owner = app.owner().await;
        let link = paid_link(&app, &owner, "167890").await;
        let receipt = receipts(&owner).await[0].clone();
        let (path, nobody) = (path_of(&receipt), app.nobody());
        let page = text(&nobody.get(&path).await);
        let pdf = nobody.get(&format!("{path}/pdf")).await;
        let words = words_of(&pdf);
        for said in ["MODO DE PRUEBA", "N.º P-000001"] {
            assert!(page.contains(said) && words.contains(&packed(said)), "{said}: {page}");
        }
        let name = "attachment; filename=\"comprobante-P-000001.pdf\"";
        assert_eq!(pdf.header("content-disposition"), Some(name));
        assert!(!page.contains("ANULADO") && !words.contains("ANULADO"));
        assert_eq!(nobody.get(&format!("{path}/pdf")).await.body, pdf.body, "the same bytes");

        let id = receipt["id"].as_str().unwrap();
        let reason = json!({ "reason": "Se emitió <dos> veces" });
        owner.post(&format!("/v1/receipts/{id}/void"), reason).await.ok();
        let page = text(&nobody.get(&path).await);
        let words = words_of(&nobody.get(&format!("{path}/pdf")).await);
        for said in ["ANULADO", "Motivo: Se emitió <dos> veces", "MODO DE PRUEBA"] {
            assert!(plain(&page).contains(said) && words.contains(&packed(said)), "{said}: {page}");
        }
        assert!(!page.contains("<dos>"), "{page}");
        assert!(text(&nobody.get(&format!("/pay/{link}")).await).contains("ANULADO"));
        assert!(preview(&page).concat().contains("ANULADO"), "{page}");
        assert!(text(&asked(&nobody, &path, "en").await).contains("VOID"));
    }

    async fn an_address_of_no_receipt_is_a_page_that_says_so(app: TestApp) {
        let owner = app.owner().await;
        paid_link(&app, &owner, "167890").await;
        let path = path_of(&receipts(&owner).await[0]);
        let nobody = app.nobody();
        let other = format!("{}00000000000000000000000000", path.split_at(path.len() - 26).0);
        let zeros = "0".repeat(52);
        for address in [
            "/recibo/".to_owned(),
            "/recibo/x".to_owned(),
            format!("/recibo/{zeros}"),
            format!("/recibo/{zeros}/pdf"),
            format!("{path}0"),
            format!("{path}/other"),
            other,
        ] {
            let answer = nobody.get(&address).await;
            assert_eq!(answer.status, 404, "{address}");
            assert_eq!(answer.header("x-robots-tag"), Some("noindex"), "{address}");
            assert!(text(&answer).contains("Este comprobante no existe"), "{address}");
        }
        let posted = nobody.request("POST", &path).send().await;
        assert_eq!(posted.status, 405);
        assert!(text(&posted).contains("Así no se usa esta dirección"), "{posted:?}");
        // What messengers add to an address leads to it all the same.
        for added in ["/", ".", ").", "%20"] {
            let answer = nobody.get(&format!("{path}{added}")).await;
            assert_eq!((answer.status, answer.header("location")), (303, Some(&*path)), "{added}");
        }
        for address in [path.clone(), format!("{path}/pdf")] {
            let answer = nobody.get(&address).await;
            assert_eq!(answer.status, 200);
            assert_eq!(answer.header("x-robots-tag"), Some("noindex"));
            assert_eq!(answer.header("cache-control"), Some("no-store"));
            assert_eq!(answer.header("x-frame-options"), Some("DENY"));
            assert!(answer.header("content-security-policy").unwrap().contains("default-src 'none'"));
        }
    }

    async fn messengers_show_who_asks_for_how_much_and_nothing_of_the_payer(app: TestApp) {
        let owner = app.owner().await;
        owner.put("/v1/profile", json!({ "public_name": "Tienda Ejemplo" })).await.ok();
        let id = make(&owner.key, &owner.bank, json!({ "description": "Deuda de Luis" })).await;
        let nobody = app.nobody();
        let page = text(&nobody.get(&format!("/pay/{id}")).await);
        let shown = preview(&page);
        assert_eq!(shown[1], "title\" content=\"[PRUEBA, no pague] Pagar Bs. 150,75 a Tienda Ejemplo\"");
        assert!(shown[3].starts_with("url\"") && shown[3].ends_with(&format!("/pay/{id}\"")), "{shown:?}");
        assert_eq!(shown.len(), 4, "{shown:?}");
        assert!(!shown.concat().contains("Luis"), "{shown:?}");
        let english = text(&asked(&nobody, &format!("/pay/{id}"), "en").await);
        assert!(english.contains("Pay Bs. 150.75 to Tienda Ejemplo"), "{english}");

        crate::pay::paid_with(&nobody, &id, "167890").await;
        let path = path_of(&receipts(&owner).await[0]);
        let page = text(&nobody.get(&path).await);
        let (shown, known) = (preview(&page), facts(&page));
        assert!(shown[1].contains("N.º P-000001 · Tienda Ejemplo"), "{shown:?}");
        assert!(shown[2].contains("Bs. 150,75"), "{shown:?}");
        assert!(shown[3].ends_with(&format!("{path}\"")), "{shown:?}");
        for (name, value) in &known {
            assert!(!shown.concat().contains(value.as_str()), "{name}: {shown:?}");
        }
    }
}
