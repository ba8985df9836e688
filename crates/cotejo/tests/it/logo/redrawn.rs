//! What is kept of a picture: what is seen of it, small, and nothing else.

use testkit::picture::{
    BLUE, NOTHING, PLACE, RED, is_like, jpeg, png, seen, taken_somewhere, with_chunk,
};
use testkit::{TestApp, either_engine};

use super::drawn;

/// Tells whether a file has these bytes anywhere.
fn has(file: &[u8], wanted: &[u8]) -> bool {
    file.windows(wanted.len()).any(|part| part == wanted)
}

either_engine! {
    async fn every_kind_is_shrunk_and_none_grows(app: TestApp) {
        let owner = app.owner().await;
        let halves = |x: u32, _: u32| if x < 400 { RED } else { BLUE };
        for (file, size) in [
            (png(800, 300, halves), (320, 120)),
            (jpeg(800, 300, halves), (320, 120)),
            (png(800, 100, halves), (320, 40)),
            (jpeg(800, 1_600, halves), (60, 120)),
            (png(50, 40, |_, _| RED), (50, 40)),
            (jpeg(4_000, 3_000, |x, _| if x < 2_000 { RED } else { BLUE }), (160, 120)),
        ] {
            let logo = seen(&drawn(&app, &owner, file).await);
            assert_eq!(logo.dimensions(), size);
            assert!(is_like(*logo.get_pixel(2, size.1 / 2), RED), "{size:?}");
            if size.0 != 50 {
                assert!(is_like(*logo.get_pixel(size.0 - 3, size.1 / 2), BLUE), "{size:?}");
            }
        }
    }

    async fn what_shows_through_still_does_and_has_no_dark_edge(app: TestApp) {
        let owner = app.owner().await;
        let disc = |x: u32, y: u32| {
            let (x, y) = (i64::from(x) - 300, i64::from(y) - 300);
            if x * x + y * y < 90_000 { RED } else { NOTHING }
        };
        {
            let file = drawn(&app, &owner, png(600, 600, disc)).await;
            assert!(file.starts_with(b"\x89PNG"));
            let logo = seen(&file);
            assert_eq!((logo.dimensions(), logo.get_pixel(0, 0)[3]), ((120, 120), 0));
            assert!(is_like(*logo.get_pixel(60, 60), RED));
            // The nothing around it is black, and must not be seen at its edge.
            for pixel in logo.pixels().filter(|pixel| pixel[3] > 40) {
                let [red, green, blue, _] = pixel.0;
                assert!(red > 180 && green < 45 && blue < 45, "{pixel:?}");
            }
        }
        // What could show through and does not is kept as what cannot.
        let file = drawn(&app, &owner, png(60, 60, |_, _| BLUE)).await;
        assert!(file.starts_with(b"\xff\xd8\xff"));
    }

    async fn nothing_is_kept_of_where_a_photo_was_taken_and_it_stands_upright(app: TestApp) {
        let owner = app.owner().await;
        let photo = jpeg(300, 200, |x, _| if x < 150 { RED } else { BLUE });
        for (orientation, size, first, last) in [
            (1, (180, 120), (0, 60), (179, 60)),
            // Held to the right and to the left: what was at the left is above or below.
            (6, (80, 120), (40, 0), (40, 119)),
            (8, (80, 120), (40, 119), (40, 0)),
            (3, (180, 120), (179, 60), (0, 60)),
        ] {
            let photo = taken_somewhere(&photo, orientation);
            assert!(has(&photo, PLACE.as_bytes()) && has(&photo, b"Exif"));
            let file = drawn(&app, &owner, photo).await;
            assert!(!has(&file, PLACE.as_bytes()) && !has(&file, b"Exif"));
            let logo = seen(&file);
            assert_eq!(logo.dimensions(), size, "{orientation}");
            assert!(is_like(*logo.get_pixel(first.0, first.1), RED), "{orientation}");
            assert!(is_like(*logo.get_pixel(last.0, last.1), BLUE), "{orientation}");
        }
    }

    async fn what_stands_behind_a_picture_or_in_it_is_gone(app: TestApp) {
        let owner = app.owner().await;
        let script = b"<script>alert(document.cookie)</script>";
        let archive = b"PK\x03\x04 an archive that hides behind a picture";
        let hides = |file: &[u8]| has(file, script) || has(file, archive);
        let pictures = [
            png(64, 64, |x, _| if x < 32 { RED } else { NOTHING }),
            jpeg(64, 64, |_, _| RED),
        ];
        for picture in pictures {
            let file = [&picture[..], script, archive].concat();
            assert!(hides(&file) && !hides(&drawn(&app, &owner, file).await));
        }
        let open = png(64, 64, |_, y| if y < 32 { BLUE } else { NOTHING });
        let file = with_chunk(&open, b"tEXt", &[b"Comment\0", &script[..]].concat());
        assert!(hides(&file) && !hides(&drawn(&app, &owner, file).await));
    }
}
