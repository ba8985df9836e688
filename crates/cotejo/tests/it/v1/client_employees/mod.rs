//! `/v1/clients/{client_id}/invitation` and `/v1/clients/{client_id}/employees`: the people of clients.

mod ends;
mod people;
mod world;
