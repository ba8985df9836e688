//! Hashes of secrets: all that a store keeps of a text that was shown once.

/// Declares the SHA-256 of a secret text. Two are compared in constant time, and none is shown by `Debug`.
macro_rules! secret_hash {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub struct $name([u8; 32]);

        impl $name {
            /// The hash of a text, whether it has the form of such a secret or not.
            #[must_use]
            pub fn of(text: &$crate::secret::SecretText) -> Self {
                Self(<sha2::Sha256 as sha2::Digest>::digest(text.expose()).into())
            }

            /// The hash that a store keeps as these bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 32]) -> Self {
                Self(bytes)
            }

            /// The bytes that a store keeps.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; 32] {
                self.0
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                $crate::secret::same(&self.0, &other.0)
            }
        }

        impl Eq for $name {}

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}

pub(crate) use secret_hash;
