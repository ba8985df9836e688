//! What nobody asked about is kept for a while; everything else stays.

use std::time::Duration;

use app::sweep::sweep_movements;
use testkit::{Setup, both_engines};

use super::{AT_ONCE, Shop};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

both_engines! {
    async fn movements_that_nobody_asked_about_go_after_ninety_days(setup: Setup) {
        let mut shop = Shop::open(setup).await;
        shop.bank.pay("000079912345", 15_075, AT_ONCE);
        shop.bank.pay("000088800001", 2_000, AT_ONCE);
        shop.bank.pay("000077700001", 3_000, AT_ONCE);
        shop.verify("79912345").await.ok();
        shop.verify("77700001").await.refused(400, "PAYMENT_AMOUNT_NOT_VALID");
        shop.app.clock().advance(89 * DAY);
        sweep_movements(shop.app.app()).await.unwrap();
        assert_eq!(shop.app.database().number("select count(*) from movements"), 3);
        shop.app.clock().advance(2 * DAY);
        sweep_movements(shop.app.app()).await.unwrap();
        // Sessions are over by now.
        shop.owner.sign_in_again().await;
        let left = [("77700001".to_owned(), false), ("79912345".to_owned(), true)];
        assert_eq!(shop.seen(&shop.owner).await, left);
        assert_eq!(shop.app.database().number("select count(*) from payments"), 1);
    }
}
