//! Texts of pages, Spanish and English side by side.

/// Declares the texts of a page: a name, Spanish, English. One that lacks a language does not compile.
macro_rules! texts {
    ($(#[$meta:meta])* $name:ident { $($key:ident: $es:literal, $en:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub(crate) struct $name {
            $(pub(crate) $key: &'static str,)+
        }

        impl $name {
            pub(crate) const fn of(language: domain::language::Language) -> &'static Self {
                const ES: $name = $name { $($key: $es,)+ };
                const EN: $name = $name { $($key: $en,)+ };
                match language {
                    domain::language::Language::Es => &ES,
                    domain::language::Language::En => &EN,
                }
            }
        }
    };
}
