//! From where the simulator is reached, and by a program instead of HTTP.

use std::net::SocketAddr;
use std::time::Duration;

use bank_sim::payment::{Kind, NewPayment, Oddities, Payer};
use bank_sim::{NotLoopback, Reach};
use domain::money::Bolivars;
use domain::payer::{AccountNumber, BankCode, Document, Phone};
use domain::reference::TypedReference;
use domain::text::Text;
use serde_json::json;

use crate::world::{ACCOUNT, World, exchange, request};

#[test]
fn beyond_this_machine_it_listens_only_where_that_is_wanted() {
    for (address, is_loopback) in [
        ("127.0.0.1:0", true),
        ("127.9.9.9:80", true),
        ("[::1]:80", true),
        ("0.0.0.0:80", false),
        ("[::]:80", false),
        ("192.0.2.1:80", false),
    ] {
        let address: SocketAddr = address.parse().unwrap();
        let expected = if is_loopback { Ok(()) } else { Err(NotLoopback(address)) };
        assert_eq!(Reach::Loopback.admit(address), expected, "{address}");
        assert_eq!(Reach::Anywhere.admit(address), Ok(()));
    }
}

#[tokio::test]
async fn a_payment_can_be_made_without_http() {
    let world = World::new().await;
    let payment = world.running.simulator().add_payment(NewPayment {
        account: AccountNumber::parse(ACCOUNT).unwrap(),
        reference: TypedReference::parse("79912345").unwrap(),
        amount: Bolivars::from_hundredths(100),
        payer: Payer {
            bank: BankCode::parse("0134").unwrap(),
            phone: Phone::parse("04140000002").unwrap(),
            document: Document::parse("V12345678").unwrap(),
            name: Text::parse("Prueba").unwrap(),
        },
        kind: Kind::PagoMovil,
        at: None,
        delay: Duration::ZERO,
        oddities: Oddities::default(),
    });
    assert_eq!(payment.unwrap().number, 1);
    assert_eq!(world.extract("20/11/2026", "").await["movs"][0]["referencia"], "0050979912345");
}

#[tokio::test]
async fn other_paths_and_methods_are_not_there() {
    let world = World::new().await;
    for (method, path, status) in [
        ("GET", "/getMovement", 405),
        ("POST", "/getOutMovement", 404),
        ("DELETE", "/admin/payments", 405),
        ("GET", "/", 404),
    ] {
        let answer = exchange(world.address(), request(method, path, &[], String::new())).await;
        assert_eq!(answer.unwrap().status, status, "{method} {path}");
    }
    // What is asked for together goes side by side.
    let asked = (0..50).map(|_| world.pay(json!({})));
    futures_util::future::join_all(asked).await;
    assert_eq!(world.get("/admin/payments/50").await["id"], "50");
}
