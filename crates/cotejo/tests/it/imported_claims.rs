//! What another system accepted before the shop came here: once it is imported, no way of asking says that it is new.

use std::time::Duration;

use app::admin::{
    AdminError, ClaimsDone, ClaimsRequest, ClaimsWork, Operator, OwnerName, work_on_claims,
};
use domain::imported_claims::ImportedClaim;
use domain::time::CaracasDate;
use serde_json::{Value, json};
use testkit::bank::SimulatedBank;
use testkit::principal::verify_path;
use testkit::{Owner, Response, Setup, TestApp, both_engines};

use crate::bdv::{link, start};
use crate::pay::{THEIRS, make, paid_by, said, status};

/// Past the bank's interval between two looks at a day.
const A_WHILE: Duration = Duration::from_secs(120);

const USED: &str = "PAYMENT_ALREADY_EXISTS";

/// An owner with an account at the simulated bank.
struct Shop {
    bank: SimulatedBank,
    app: TestApp,
    owner: Owner,
    account: String,
}

impl Shop {
    async fn open(setup: Setup) -> Self {
        let (bank, app) = start(setup).await;
        let owner = app.owner().await;
        let account = link(&owner).await;
        Self { bank, app, owner, account }
    }

    fn today(&self) -> CaracasDate {
        CaracasDate::of(self.app.now())
    }

    fn pay(&self, reference: &str) {
        self.bank.pay(reference, 15_075, Duration::ZERO);
    }

    async fn verify(&self, reference: &str) -> Response {
        self.app.clock().advance(A_WHILE);
        let body = json!({ "bank_reference": reference, "amount": 150.75 });
        self.owner.key.post(&verify_path(&self.account), body).await
    }

    async fn is_new(&self, reference: &str) -> bool {
        self.verify(reference).await.ok()["data"]["is_new"].as_bool().unwrap()
    }

    fn request(&self, (reference, amount, date): (&str, &str, &str)) -> ClaimsRequest {
        let claim = ImportedClaim::parse(reference, amount, date, self.today()).unwrap();
        ClaimsRequest {
            owner: self.owner.id.parse().unwrap(),
            account: self.account.parse().unwrap(),
            claims: vec![claim],
            work: ClaimsWork::Import,
            is_test: false,
            is_dry_run: false,
        }
    }

    async fn work(&self, request: ClaimsRequest) -> Result<ClaimsDone, AdminError> {
        work_on_claims(&Operator::of(self.app.app()), request).await
    }

    /// Imports a claim; answers how many were new, and how many were known.
    async fn import(&self, claim: (&str, &str, &str)) -> (u64, u64) {
        let counted = self.work(self.request(claim)).await.unwrap();
        (counted.done, counted.unchanged)
    }

    /// The movement of that reference, as it is listed.
    async fn movement(&self, reference: &str) -> Value {
        let listed = self.owner.get(&format!("/movements/{}", self.account)).await.ok();
        let mut all = listed["movements"].as_array().unwrap().iter();
        let is_it = |one: &&Value| one["reference"].as_str().unwrap().ends_with(reference);
        all.find(is_it).unwrap().clone()
    }
}

both_engines! {
    async fn what_another_system_accepted_is_new_in_no_way_of_asking(setup: Setup) {
        let shop = Shop::open(setup).await;
        let today = shop.today().to_string();
        assert_eq!(shop.import(("79912345", "150.75", &today)).await, (1, 0));
        assert_eq!(shop.import(("000079912345", "150,75", &today)).await, (0, 1));
        shop.pay("000079912345");
        shop.pay("000079912346");
        for reference in ["912345", "79912345", "000079912345"] {
            shop.verify(reference).await.refused(409, USED);
        }
        let pending = make(&shop.owner.key, &shop.account, json!({})).await;
        shop.app.clock().advance(A_WHILE);
        let page = paid_by(&shop.app.nobody(), &pending, "912345", THEIRS).await;
        assert_ne!(said(&page), "Pago confirmado");
        assert_eq!(status(&shop.owner, &pending).await, "pending");

        // Nor does a person accept it, as a payment or for a link.
        let listed = shop.movement("79912345").await;
        assert_eq!((&listed["claimed"], &listed["claimed_elsewhere"]), (&json!(true), &json!(true)));
        assert_eq!(listed["user_bank_payment_id"], Value::Null);
        let id = listed["id"].as_str().unwrap();
        let accept = format!("/v1/movements/{id}/accept");
        shop.owner.post(&accept, json!({})).await.refused(409, USED);
        let body = json!({ "movement_id": id });
        let accept = format!("/v1/paymentlink/{pending}/accept");
        shop.owner.post(&accept, body).await.refused(409, USED);

        // It cost nothing, is no payment, and another one is as ever.
        assert_eq!(shop.app.database().number("select count(*) from payments"), 0);
        assert_eq!(shop.owner.balance().await, 1_000);
        assert!(shop.is_new("912346").await);
        let listed = shop.movement("79912346").await;
        assert_eq!((&listed["claimed"], &listed["claimed_elsewhere"]), (&json!(true), &json!(false)));
        let audited = "select count(*) from audit where action = 'ImportClaims'";
        assert_eq!(shop.app.database().number(audited), 1);
    }

    async fn what_the_bank_showed_before_the_import_is_used_by_it(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.pay("000079912345");
        // The movement is known from here on, and nobody's.
        let body = json!({ "bank_reference": "912345", "amount": 1 });
        let asked = shop.owner.key.post(&verify_path(&shop.account), body).await;
        asked.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        assert_eq!(shop.import(("79912345", "", "")).await, (1, 0));
        shop.verify("912345").await.refused(409, USED);

        // What was imported by mistake is taken back.
        let withdraw = ClaimsRequest { work: ClaimsWork::Withdraw, ..shop.request(("79912345", "", "")) };
        let counted = shop.work(withdraw.clone()).await.unwrap();
        assert_eq!(counted, ClaimsDone { done: 1, unchanged: 0 });
        let counted = shop.work(withdraw).await.unwrap();
        assert_eq!(counted, ClaimsDone { done: 0, unchanged: 1 });
        assert!(shop.is_new("912345").await);

        // A payment that was verified here stays one, whatever is imported after it.
        assert_eq!(shop.import(("79912345", "", "")).await, (1, 0));
        assert!(!shop.is_new("912345").await);
        let listed = shop.movement("79912345").await;
        assert_eq!((&listed["claimed"], &listed["claimed_elsewhere"]), (&json!(true), &json!(false)));
    }

    async fn another_amount_or_day_is_another_payment(setup: Setup) {
        let shop = Shop::open(setup).await;
        let (today, before) = (shop.today(), shop.today().plus_days(-5));
        for (claim, reference) in [
            (("912345", "150.76", today), "000079912345"),
            (("912346", "150.75", before), "000079912346"),
        ] {
            let (digits, amount, day) = claim;
            shop.import((digits, amount, &day.to_string())).await;
            shop.pay(reference);
            assert!(shop.is_new(digits).await, "{digits}");
        }
        // The bank's clock may have another day.
        let yesterday = today.plus_days(-1).to_string();
        shop.import(("912347", "150.75", &yesterday)).await;
        shop.pay("000079912347");
        shop.verify("912347").await.refused(409, USED);
    }

    async fn what_the_bank_has_forgotten_is_known_by_its_whole_reference(setup: Setup) {
        let shop = Shop::open(setup).await;
        shop.verify("79912345").await.refused(404, "PAYMENT_NOT_FOUND");
        shop.import(("79912345", "150.75", "")).await;
        shop.verify("79912345").await.refused(409, USED);
        shop.verify("912345").await.refused(404, "PAYMENT_NOT_FOUND");
        shop.app.clock().advance(A_WHILE);
        let body = json!({ "bank_reference": "79912345", "amount": 2 });
        let other = shop.owner.key.post(&verify_path(&shop.account), body).await;
        other.refused(404, "PAYMENT_NOT_FOUND");
    }

    async fn a_dry_run_counts_and_writes_nothing(setup: Setup) {
        let shop = Shop::open(setup).await;
        let dry = || ClaimsRequest { is_dry_run: true, ..shop.request(("79912345", "", "")) };
        let counted = shop.work(dry()).await.unwrap();
        assert_eq!(counted, ClaimsDone { done: 1, unchanged: 0 });
        assert_eq!(shop.app.database().number("select count(*) from imported_claims"), 0);
        let withdraw = ClaimsRequest { work: ClaimsWork::Withdraw, ..dry() };
        let counted = shop.work(withdraw.clone()).await.unwrap();
        assert_eq!(counted, ClaimsDone { done: 0, unchanged: 1 });
        shop.import(("79912345", "", "")).await;
        let counted = shop.work(dry()).await.unwrap();
        assert_eq!(counted, ClaimsDone { done: 0, unchanged: 1 });
        let counted = shop.work(withdraw).await.unwrap();
        assert_eq!(counted, ClaimsDone { done: 1, unchanged: 0 });
        assert_eq!(shop.app.database().number("select count(*) from imported_claims"), 1);
    }

    async fn test_money_and_other_owners_accounts_are_kept_apart(setup: Setup) {
        let shop = Shop::open(setup).await;
        let claim = ("31067890", "", "");
        let test = ClaimsRequest {
            account: shop.owner.bank.parse().unwrap(),
            ..shop.request(claim)
        };
        let refused = shop.work(test.clone()).await;
        assert!(matches!(refused, Err(AdminError::TestAccount(_))), "{refused:?}");
        let real = ClaimsRequest { is_test: true, ..shop.request(claim) };
        let refused = shop.work(real).await;
        assert!(matches!(refused, Err(AdminError::RealAccount(_))), "{refused:?}");
        let other: OwnerName = shop.app.owner().await.id.parse().unwrap();
        let theirs = ClaimsRequest { owner: other, ..shop.request(claim) };
        let refused = shop.work(theirs).await;
        assert!(matches!(refused, Err(AdminError::NoSuchAccount(_))), "{refused:?}");
        assert_eq!(shop.app.database().number("select count(*) from imported_claims"), 0);

        shop.work(ClaimsRequest { is_test: true, ..test }).await.unwrap();
        let body = json!({ "bank_reference": "31067890", "amount": 150.75 });
        shop.owner.key.verify(&shop.owner.bank, body).await.refused(409, USED);
        // The same reference of another account is another payment.
        shop.pay("000031067890");
        assert!(shop.is_new("31067890").await);
    }
}
