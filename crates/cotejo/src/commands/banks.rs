//! Simulated banks, until somebody ends them.

use std::io::{Write, stdout};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use bank_sim::{Reach, Running};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::Banks;
use crate::simulated_banks::{SimulatedTime, runtime};
use crate::system::{Runtime, TrackedTasks};

/// How long a stop waits for the callers that are still being answered.
const DRAIN_MAX: Duration = Duration::from_secs(5);

/// An account and a payer that are nobody's, to begin with.
const ACCOUNT: &str = "01020000890000000001";

pub(super) fn run(banks: &Banks) -> anyhow::Result<ExitCode> {
    let reach = if banks.allow_remote { Reach::Anywhere } else { Reach::Loopback };
    reach.admit(banks.listen).context("--allow-remote is needed to listen there")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the runtime")?;
    runtime.block_on(serve(banks, reach))?;
    // A caller that a fault keeps waiting does not keep the process.
    runtime.shutdown_background();
    Ok(ExitCode::SUCCESS)
}

async fn serve(banks: &Banks, reach: Reach) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("signals")?;
    let listener = TcpListener::bind(banks.listen).await;
    let listener =
        listener.with_context(|| format!("the address {} cannot be listened at", banks.listen))?;
    let clock = Runtime::default().clock;
    let time = match banks.manual_clock {
        true => SimulatedTime::Manual(clock.now()),
        false => SimulatedTime::Of(clock),
    };
    let runtime = runtime(time, Arc::new(TrackedTasks::default()));
    let running = bank_sim::serve(listener, reach, runtime)?;
    write!(stdout(), "{}", letter(running.address()))?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    stop(running).await;
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "a stop of a process is waited for by the wall's clock"
)]
async fn stop(running: Running) {
    // A caller that is not answered by then would have to ask again anyhow.
    drop(tokio::time::timeout(DRAIN_MAX, running.stop()).await);
}

fn letter(at: SocketAddr) -> String {
    let today = "$(TZ=America/Caracas date +%d/%m/%Y)";
    format!(
        "Bancos simulados en / simulated banks at http://{at}\n\
         \n\
         Una cuenta, un pago y el extracto de hoy; pegue tal cual.\n\
         An account, a payment and today's extract; paste as they are.\n\
         \n\
         curl -sS --json '{{\"account\": \"{ACCOUNT}\", \"api_key\": \"clave-de-prueba\", \
         \"phone\": \"04120000001\", \"rif\": \"J-12345678-4\"}}' http://{at}/admin/accounts\n\
         curl -sS --json '{{\"account\": \"{ACCOUNT}\", \"reference\": \"000079912345\", \
         \"amount\": \"150.75\", \"payer_bank\": \"0134\", \"phone\": \"04140000002\", \
         \"document\": \"V12345678\"}}' http://{at}/admin/payments\n\
         curl -sS -H 'X-API-Key: clave-de-prueba' --json '{{\"cuenta\": \"{ACCOUNT}\", \
         \"fechaIni\": \"'{today}'\", \"fechaFin\": \"'{today}'\", \"tipoMoneda\": \"VES\", \
         \"nroMovimiento\": \"\"}}' http://{at}/apis/bdv/consulta/movimientos\n"
    )
}
