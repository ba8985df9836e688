//! What is no logo, and what its sender is answered.

use std::time::Duration;

use domain::logo::{FILE_LEN_MAX, PIXELS_MAX};
use testkit::picture::{RED, animated_png, jpeg, png, png_that_claims, with_chunk};
use testkit::{TestApp, either_engine};

use super::{PATH, path_of, put};

const A_MINUTE: Duration = Duration::from_secs(60);

/// A file without its end.
fn cut(mut file: Vec<u8>) -> Vec<u8> {
    file.truncate(file.len() * 2 / 3);
    file
}

/// Something that cannot be pressed together.
fn noise(x: u32, y: u32) -> [u8; 4] {
    let hash =
        (x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0xc2b2_ae35);
    let [red, green, blue, _] = (hash ^ (hash >> 15)).to_be_bytes();
    [red, green, blue, 255]
}

either_engine! {
    async fn each_is_reported_by_its_field_with_what_to_do(app: TestApp) {
        let owner = app.owner().await;
        let path = path_of(&put(&owner, png(20, 20, |_, _| RED)).await.ok());
        let still = png(64, 64, noise);
        let svg = "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>";
        let heavy = [&png(64, 64, |_, _| RED)[..], &vec![0; FILE_LEN_MAX]].concat();
        let wide = u32::try_from(PIXELS_MAX / 4_000).unwrap();
        for (file, said) in [
            (Vec::new(), "falta"),
            (heavy, "2 MB"),
            (svg.into(), "SVG"),
            (format!("<!-- {} -->{svg}", "x".repeat(200)).into(), "SVG"),
            (b"GIF89a\x10\0\x10\0\0\0\0;".to_vec(), "PNG ni JPEG"),
            (b"%PDF-1.7".to_vec(), "PNG ni JPEG"),
            (b"\0".to_vec(), "PNG ni JPEG"),
            (b"\x89PNG".to_vec(), "incompleta"),
            (b"\xff\xd8\xff".to_vec(), "incompleta"),
            (b"RIFF\0\0\0\0WEBPVP8X".to_vec(), "PNG ni JPEG"),
            (cut(still.clone()), "incompleta"),
            (cut(jpeg(64, 64, noise)), "incompleta"),
            (animated_png(64, 64), "animada"),
            (png(15, 64, |_, _| RED), "16 píxeles"),
            (jpeg(64, 15, |_, _| RED), "16 píxeles"),
            // A few hundred bytes that would be ten gigabytes.
            (png_that_claims(50_000, 50_000), "16 megapíxeles"),
            (png_that_claims(4_097, 16), "16 megapíxeles"),
            (png_that_claims(4_000, wide + 1), "16 megapíxeles"),
            (png_that_claims(u32::MAX >> 1, 1), "16 megapíxeles"),
            // As large as is drawn, if there were as much.
            (png_that_claims(4_000, wide), "incompleta"),
            (jpeg(4_097, 16, |_, _| RED), "16 megapíxeles"),
            (with_chunk(&still, b"IHDR", &[0; 13]), "incompleta"),
        ] {
            app.clock().advance(A_MINUTE / 4);
            let answer = put(&owner, file).await.refused(400, "VALIDATION_ERROR");
            let detail = &answer["details"][0];
            assert_eq!(detail["field"], "logo", "{answer}");
            let problem = detail["problem"].as_str().unwrap();
            assert!(problem.contains(said), "{said}: {answer}");
        }
        assert_eq!(path_of(&owner.get("/v1/profile").await.ok()), path, "the logo of before stays");
        let english = owner.request("PUT", PATH).header("accept-language", "en").body(svg);
        let answer = english.send().await.refused(400, "VALIDATION_ERROR");
        let problem = answer["details"][0]["problem"].as_str().unwrap();
        assert!(problem.contains("export it as PNG"), "{answer}");
    }

    async fn what_it_is_said_to_be_does_not_matter(app: TestApp) {
        let owner = app.owner().await;
        for said in ["image/png", "image/webp", "text/html", "application/json", ""] {
            let call = owner.request("PUT", PATH).header("content-type", said);
            let kept = call.body(jpeg(20, 20, |_, _| RED)).send().await.ok();
            assert!(path_of(&kept).ends_with(".jpg"), "{said}: {kept}");
        }
        let call = owner.request("PUT", PATH).header("content-type", "image/png");
        let page = call.body("<!doctype html><script>alert(1)</script>").send().await;
        page.refused(400, "VALIDATION_ERROR");
    }

    async fn an_owner_has_few_pictures_drawn_in_a_minute(app: TestApp) {
        let (owner, other) = (app.owner().await, app.owner().await);
        let file = png(20, 20, |_, _| RED);
        for _ in 0..10 {
            put(&owner, file.clone()).await.ok();
        }
        put(&owner, file.clone()).await.refused(429, "REQUEST_LIMIT_REACHED");
        put(&other, file.clone()).await.ok();
        app.clock().advance(A_MINUTE);
        put(&owner, file).await.ok();
    }

    async fn a_file_that_is_not_read_to_its_end_is_reported(app: TestApp) {
        let owner = app.owner().await;
        let answer = put(&owner, vec![0x89; 17 * 1024 * 1024]).await;
        let answer = answer.refused(400, "VALIDATION_ERROR");
        assert!(answer["details"][0]["problem"].as_str().unwrap().contains("2 MB"), "{answer}");
    }
}
