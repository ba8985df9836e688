//! The key that an account is asked about with.

use super::*;

#[tokio::test]
async fn an_account_without_a_key_is_not_asked_about() {
    let server = Scripted::start(|_| Play::ok(page(&json!([]))));
    let bank = connector(&server, Environment::Production);
    let question = Question {
        owner: OwnerId::from_bytes([1; 16]),
        bank: BankId::from_bytes([2; 16]),
        identity: IdentityId::from_bytes([3; 16]),
        access: None,
        tokens: &NoTokens,
        query: &query("912345"),
        notices: &[],
        is_strangers: false,
        asked_at: NOON,
        now: NOON,
    };
    assert_eq!(bank.ask(question).await, Answer::Failed(Failure::RejectedCredentials));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn a_key_is_tried_by_a_page_of_today() {
    let server = Scripted::start(|asked| match asked.header("x-api-key") {
        Some("made-up-key") if asked.body.contains("\"20/11/2026\"") => {
            Play::ok(page(&json!([credit("0000012912345", "42.50")])))
        }
        Some("made-up-key") => Play::ok(page(&json!([]))),
        _ => Play::ok(json!({ "code": "1010", "message": "Cliente no afiliado" }).to_string()),
    });
    let bank = connector(&server, Environment::Production);
    let account = AccountNumber::parse("01020000890000000001").unwrap();
    // A question by the right key leaves movements behind, which prove nothing for another. It ends when all its
    // days were read, so that none of them is asked about later than by a check.
    let query = query("912345");
    assert_eq!(verdict(&ask_at(&bank, &query, NOON).await, &query), FIRST);
    let before = server.asked().len();
    for (key, checked) in
        [("made-up-key", Ok(())), ("another-key", Err(Failure::RejectedCredentials))]
    {
        let credentials = credentials(key);
        let access = Access { account: &account, phone: None, credentials: &credentials };
        assert_eq!(bank.check_access(access, NOON).await, checked);
    }
    let checks = server.asked().split_off(before);
    assert_eq!(checks.len(), 2);
    assert_eq!(days_asked(&checks), ["20/11/2026".to_owned()].into());
}
