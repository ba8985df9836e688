//! The PDF of a receipt: how it is read aloud, and the merchant's logo on it.

use std::io::Write;
use std::process::{Command, Stdio};

use testkit::picture::{NOTHING, RED, jpeg, png};
use testkit::{Principal, Response, TestApp, either_engine};

use super::{paid_link, path_of, receipts};
use crate::pay::text;

/// Reads a PDF by a program of poppler, which is given it on its standard input.
pub(super) fn read_by(program: &str, arguments: &[&str], pdf: &Response) -> String {
    assert_eq!(pdf.header("content-type"), Some("application/pdf"), "{pdf:?}");
    let mut reader = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}, of Debian's poppler-utils: {error}"));
    reader.stdin.take().unwrap().write_all(&pdf.body).unwrap();
    let output = reader.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    // Of some texts the bytes of the PDF are shown.
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Counts the pictures of a receipt's PDF, in which what shows through is one by itself.
async fn pictures(nobody: &Principal, path: &str) -> usize {
    let pdf = nobody.get(&format!("{path}/pdf")).await;
    // Below two lines of headings.
    read_by("pdfimages", &["-list", "-"], &pdf).lines().skip(2).count()
}

either_engine! {
    async fn a_pdf_is_read_aloud_by_headings_and_rows_in_their_order(app: TestApp) {
        let owner = app.owner().await;
        paid_link(&app, &owner, "167890").await;
        let path = path_of(&receipts(&owner).await[0]);
        let pdf = app.nobody().get(&format!("{path}/pdf")).await;
        let about = read_by("pdfinfo", &["-"], &pdf);
        let is_tagged = |line: &str| line.starts_with("Tagged:") && line.ends_with("yes");
        assert!(about.lines().any(is_tagged), "{about}");
        let structure = read_by("pdfinfo", &["-struct-text", "-"], &pdf);
        let mut rest = structure.as_str();
        for part in [
            "Document", "H1", "P-000001", "H2", "MODO DE PRUEBA", "P (", "Table", "TR", "TH", "Concepto", "TD",
            "Pedido 7", "TR", "TH", "Referencia", "TD", "167890", "P (", "H2", "P (", "Figure", "Link", "/recibo/",
        ] {
            let Some((_, after)) = rest.split_once(part) else { panic!("{part}: {structure}") };
            rest = after;
        }
    }

    async fn a_logo_is_on_the_pdf_and_in_previews_and_one_that_cannot_be_read_is_left_away(app: TestApp) {
        let owner = app.owner().await;
        paid_link(&app, &owner, "167890").await;
        let path = path_of(&receipts(&owner).await[0]);
        let nobody = app.nobody();
        assert_eq!(pictures(&nobody, &path).await, 0);
        assert!(!text(&nobody.get(&path).await).contains("og:image"));
        for (file, count) in [
            (jpeg(300, 100, |_, _| RED), 1),
            (png(600, 225, |x, _| if x < 300 { RED } else { NOTHING }), 2),
        ] {
            owner.request("PUT", "/v1/profile/logo").body(file).send().await.ok();
            let url = owner.get("/v1/profile").await.ok()["logo_url"].as_str().unwrap().to_owned();
            assert!(url.starts_with("http"), "{url}");
            assert_eq!(pictures(&nobody, &path).await, count, "{url}");
            let page = text(&nobody.get(&path).await);
            assert!(page.contains(&format!("<meta property=\"og:image\" content=\"{url}\">")), "{page}");
        }
        // It begins as a picture does and ends too soon, and then it is none.
        for broken in ["substr(bytes, 1, 80)", "hash"] {
            app.tamper(&format!("update logos set bytes = {broken}")).await;
            assert_eq!(pictures(&nobody, &path).await, 0, "{broken}");
        }
    }
}
