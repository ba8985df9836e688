use std::fs;
use std::path::PathBuf;

use app::settings::PasswordCost;
use domain::time::Timestamp;
use store::Store;

use super::*;
use crate::system::SystemRandom;
use crate::testing::Folder;

/// A store, a folder for its key, and what opening the vault says.
struct Case {
    folder: Folder,
    store: Store,
}

impl Case {
    fn new() -> Self {
        Self { folder: Folder::new(), store: store::inline().unwrap() }
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("master.key")
    }

    async fn open(&self) -> Result<Vault, String> {
        let operator = Operator {
            store: &self.store,
            ids: &SystemRandom,
            now: Timestamp::from_micros(1_763_640_000_000_000),
            password_cost: PasswordCost::RECOMMENDED,
            vault: None,
            sends_mail: false,
            app: None,
        };
        open_vault(&operator, &self.key()).await.map_err(|error| format!("{error:#}"))
    }
}

#[tokio::test]
async fn a_key_is_made_with_a_new_store_and_opens_it_again() {
    let case = Case::new();
    case.open().await.unwrap();
    let kept = fs::read_to_string(case.key()).unwrap();
    assert_eq!(fs::metadata(case.key()).unwrap().permissions().mode() & 0o777, 0o600);
    case.open().await.unwrap();
    assert_eq!(fs::read_to_string(case.key()).unwrap(), kept);
}

#[tokio::test]
async fn a_key_that_was_laid_ready_is_used_for_a_new_store() {
    let case = Case::new();
    let text = MasterKey::generate(&SystemRandom).to_text();
    write_private(&case.key(), text.expose()).unwrap();
    case.open().await.unwrap();
    assert_eq!(fs::read_to_string(case.key()).unwrap(), text.expose());
}

#[test]
fn a_key_of_another_user_is_refused() {
    let folder = Folder::new();
    assert_eq!(own_user(), Some(folder.path().metadata().unwrap().uid()));
    let path = Path::new("/etc/cotejo/master.key");
    assert!(is_ours(1_000, 1_000, path).is_ok());
    assert!(is_ours(0, 1_000, path).is_ok());
    let problem = is_ours(1_001, 1_000, path).unwrap_err().to_string();
    assert!(
        problem.contains("uid 1001") && problem.ends_with("chown 1000 /etc/cotejo/master.key"),
        "{problem}"
    );
    // Not root's either: who owns a file may change it whenever they like.
    assert!(is_ours(1_001, 0, path).is_err());
}

#[tokio::test]
async fn a_missing_key_is_not_made_again() {
    let case = Case::new();
    case.open().await.unwrap();
    fs::remove_file(case.key()).unwrap();
    let problem = case.open().await.unwrap_err();
    assert!(problem.contains("is missing"), "{problem}");
    assert!(problem.contains("--master-key-file"), "{problem}");
    assert!(!case.key().exists());
}

#[tokio::test]
async fn the_key_of_another_store_is_refused_and_kept() {
    let (case, other) = (Case::new(), Case::new());
    case.open().await.unwrap();
    other.open().await.unwrap();
    fs::copy(other.key(), case.key()).unwrap();
    let problem = case.open().await.unwrap_err();
    assert!(problem.contains("is not the one that this database (store_"), "{problem}");
    assert!(case.key().exists());
}

#[tokio::test]
async fn a_ring_opens_what_a_former_key_sealed() {
    let case = Case::new();
    case.open().await.unwrap();
    let former = fs::read_to_string(case.key()).unwrap();
    let current = MasterKey::generate(&SystemRandom).to_text();
    fs::write(case.key(), format!("{}\n\n{former}", current.expose())).unwrap();
    case.open().await.unwrap();
}

#[tokio::test]
async fn a_key_that_others_can_read_is_refused() {
    let case = Case::new();
    case.open().await.unwrap();
    for mode in [0o640, 0o604, 0o620] {
        fs::set_permissions(case.key(), fs::Permissions::from_mode(mode)).unwrap();
        let problem = case.open().await.unwrap_err();
        assert!(problem.contains("chmod 600"), "{problem}");
    }
}

#[tokio::test]
async fn what_is_no_key_is_refused() {
    for text in ["", "# nothing\n", "hunter2"] {
        let case = Case::new();
        write_private(&case.key(), text).unwrap();
        let problem = case.open().await.unwrap_err();
        assert!(problem.contains("master key") && !problem.contains("hunter2"), "{problem}");
    }
}

#[tokio::test]
async fn a_new_key_goes_above_the_former_ones_and_below_what_is_said_of_them() {
    let case = Case::new();
    case.open().await.unwrap();
    let before = fs::read_to_string(case.key()).unwrap();
    let link = case.folder.path().join("link.key");
    std::os::unix::fs::symlink(case.key(), &link).unwrap();
    add_key(&link, &SystemRandom).unwrap();
    case.open().await.unwrap();
    let after = fs::read_to_string(case.key()).unwrap();
    let (remarks, former) = before.split_once("everything.\n").unwrap();
    let (same, keys) = after.split_once("everything.\n").unwrap();
    assert_eq!(remarks, same);
    assert_eq!(keys.split_once('\n').unwrap().1, former);
    assert!(link.is_symlink());
    let mode = fs::metadata(case.key()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
