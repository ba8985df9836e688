//! The cases on every engine.

mod inline {
    use super::super::{Fixture, conformance};

    fn open() -> Fixture {
        Fixture { store: crate::inline().unwrap(), _keep: Box::new(()) }
    }

    conformance!(open);
}

mod sqlite {
    use std::time::Duration;

    use super::super::{Fixture, Folder, at, conformance, never_fatal};
    use crate::{Engine, Options, SqliteSettings};

    fn open() -> Fixture {
        let folder = Folder::new();
        let settings = SqliteSettings::new(folder.0.join("store.db"));
        let engine =
            Engine::Sqlite(SqliteSettings { read_limit: Duration::from_secs(60), ..settings });
        let store = crate::open(&Options { engine, now: at(1), on_fatal: never_fatal() }).unwrap();
        Fixture { store, _keep: Box::new(folder) }
    }

    conformance!(open);
}

mod postgres {
    use testkit::postgres::Database;

    use super::super::{Fixture, at, conformance, never_fatal};
    use crate::{Engine, Options, PostgresSettings};

    fn open() -> Fixture {
        let database = Database::migrated();
        let settings =
            PostgresSettings { connections: 2, readers: 2, ..PostgresSettings::at(database.url()) };
        let engine = Engine::Postgres(settings);
        let store = crate::open(&Options { engine, now: at(0), on_fatal: never_fatal() }).unwrap();
        Fixture { store, _keep: Box::new(database) }
    }

    conformance!(open);
}
