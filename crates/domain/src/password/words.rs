//! The words of which common passwords are made, as [`crate::client_names::plain`] writes them.

/// Words of this service and its trade, of passwords everywhere, and of Venezuela.
pub(super) const COMMON: &str = "
    cotejo pago pagos pagomovil movil banco bancos banesco mercantil provincial bancamiga bdv credito creditos cuenta
    cuentas llave llaves comercio negocio tienda cobro cobros cobrar verificar verificacion bolivar bolivares dolar
    dolares dinero plata caja cajero cajera titular empleado cliente clientes factura recibo transferencia
    payment payments bank money shop store account key credit client customer owner merchant
    password passwords passw0rd passwort passphrase pass pwd contrasena contraseña clave claves secreto secreta secret
    seguro segura seguridad security secure privado private acceso access entrar entrada login logon signin abrir open
    abrete sesamo sesame admin administrador administrator root superuser user usuario guest invitado default system
    sistema server servidor test testing prueba demo temporal temp cambiame cambiar changeme change letmein letme
    welcome bienvenido bienvenida bienvenidos hello hola holamundo helloworld world mundo whatever nada ninguno none
    iloveyou ilove loveyou lovely love teamo tequiero amor amorcito amormio miamor mivida vida corazon cariño carino
    princesa princess principe prince bebe baby angel angels angelito cielo estrella star sunshine sol luna moon flor
    flower rosa mariposa butterfly dragon monkey mono tigre tiger leon lion aguila eagle perro gato caballo
    shadow master killer ninja hunter ranger phoenix matrix freedom libertad pokemon naruto superman batman spiderman
    ironman starwars trustno trustnoone football futbol soccer baseball beisbol basketball hockey barcelona realmadrid
    madrid liverpool chelsea arsenal messi ronaldo magallanes leones navegantes caribes cardenales tiburones vinotinto
    jesus jesuscristo cristo dios diosito diosesamor maria jose juan carlos luis pedro miguel antonio manuel francisco
    jorge david daniel alejandro alejandra andres andrea gabriel gabriela rafael angelica carmen rosario ana fernando
    fernanda eduardo ricardo roberto michael michelle jessica jennifer jordan ashley charlie thomas robert george
    gonzalez rodriguez perez hernandez garcia martinez lopez sanchez diaz rojas ramirez familia family mama papa mami
    papi hijo hija hijos amigo amigos friend friends feliz happy navidad christmas verano summer invierno winter
    primavera spring otono otoño autumn enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre
    diciembre january february march april june july august september october november december lunes martes miercoles
    jueves viernes sabado domingo monday tuesday wednesday thursday friday saturday sunday
    venezuela venezolano venezolana caracas maracaibo valencia barquisimeto maracay merida margarita tachira zulia
    miranda carabobo aragua lara bolivariana latino america colombia mexico espana españa
    google facebook instagram whatsapp twitter telegram youtube hotmail gmail yahoo outlook microsoft windows apple
    iphone samsung android internet computer computadora ordenador telefono phone celular oficina office empresa
    trabajo compania company casa home mercado
    1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0 1q2w3e4r q1w2e3r4 1qaz 2wsx 3edc 4rfv zaq1 xsw2 qaz wsx edc abc abcd
    asd zxc qwe xyz 123 321 007 666 777
";
