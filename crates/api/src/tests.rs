//! The whole API in one process, on a store in memory: each operation once, and what all answers
//! have in common. The rules behind them are tested where they are.

mod answers;
mod bank_tokens;
mod clients;
mod compatibility;
mod credentials;
mod demands;
mod docs;
mod document;
mod errors;
mod operations;
mod reference;
mod removal;
mod test_money;
mod world;
