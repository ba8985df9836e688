// What payers read, as far as the journeys look for it.
const es = {
  amount: 'Bs. 1.250,75',
  pay: '1. Pague con estos datos',
  copied: 'Copiado',
  contact: 'Hable con el comercio',
  until: 'Disponible hasta el',
  checking: 'Estamos consultando al banco',
  slow: 'El banco tarda en responder',
  paid: 'Pago confirmado',
  unconfirmed: 'Todavía no encontramos su pago',
  otherAmount: 'El pago llegó con otro monto',
  unheard: 'El banco no responde por ahora',
  expired: 'Este enlace venció',
  stopped: 'Este enlace está en pausa',
  canceled: 'Este enlace fue anulado',
  failed: 'Este enlace ya no se puede pagar',
  closed: 'Este enlace no se puede pagar ahora',
  elsewhere: 'Confirme su pago en esta página',
  changed: 'El monto cambió',
  noCredits: 'No podemos confirmar su pago ahora',
  tooMany: 'Demasiados intentos',
  unknown: 'Este enlace no existe',
  test: 'Modo de prueba.',
};

const en = {
  amount: 'Bs. 1,250.75',
  copied: 'Copied',
  until: 'Available until',
  checking: 'We are asking the bank',
  slow: 'The bank is slow to answer',
  paid: 'Payment confirmed',
};

export const words = { es, en }[process.env.READS];
