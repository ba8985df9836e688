//! QR codes, drawn where the page is written: nothing is loaded for them, and no one else learns what they hold.

use fast_qr::{ECL, QRBuilder};

/// The white edge that readers of the picture need, in its modules.
const EDGE: usize = 4;

/// A QR code: its dark modules, on a ground that is light as far as its edge.
pub(crate) struct Code {
    /// Modules of a side, the edge included.
    pub(crate) size: usize,
    pub(crate) runs: Vec<Run>,
}

/// Dark modules beside each other.
pub(crate) struct Run {
    pub(crate) x: usize,
    pub(crate) y: usize,
    pub(crate) len: usize,
}

/// A QR code as one path of an SVG.
pub(crate) struct Picture {
    pub(crate) size: usize,
    pub(crate) path: String,
}

/// Shows nothing of what it holds, which may be a secret.
impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picture").field("size", &self.size).finish_non_exhaustive()
    }
}

impl Code {
    /// The code of a text; none where that is too long for one.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let code = QRBuilder::new(text).ecl(ECL::M).build().ok()?;
        let mut runs = Vec::new();
        for y in 0..code.size {
            let mut x = 0;
            while x < code.size {
                let len = (x..code.size).take_while(|x| code[y][*x].value()).count();
                if len > 0 {
                    runs.push(Run { x: x + EDGE, y: y + EDGE, len });
                }
                x += len.max(1);
            }
        }
        Some(Self { size: code.size + 2 * EDGE, runs })
    }
}

impl Picture {
    /// The picture of a text; none where that is too long for one.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let Code { size, runs } = Code::of(text)?;
        let path = runs.iter().map(|Run { x, y, len }| format!("M{x} {y}h{len}v1h-{len}z"));
        Some(Self { size, path: path.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_three_corners_and_an_edge() {
        let text = "https://pagos.tienda.example/pay/link_00000000000000000000000001";
        let picture = Picture::of(text).unwrap();
        let far = picture.size - EDGE - 7;
        // The upper side of each corner is seven modules.
        for corner in [(EDGE, EDGE), (far, EDGE), (EDGE, far)] {
            let side = format!("M{} {}h7v1h-7z", corner.0, corner.1);
            assert!(picture.path.contains(&side), "{corner:?}");
        }
        assert!(Picture::of(&"x".repeat(5_000)).is_none());
    }
}
