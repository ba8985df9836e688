//! Names of clients, which tell clients apart together with their documents.

/// Writes a name as people compare it: in lower case and without accents.
#[must_use]
pub fn plain(name: &str) -> String {
    let letters = name.trim().chars().flat_map(char::to_lowercase);
    let letters = letters.map(|letter| match letter {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        other => other,
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_and_accents() {
        for name in ["Ágora Süd", " agora sud", "AGORA SÚD"] {
            assert_eq!(plain(name), "agora sud");
        }
        assert_ne!(plain("Peña"), plain("Pena"));
    }
}
