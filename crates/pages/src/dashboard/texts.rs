//! Texts of the frame of the dashboard.

texts! {
    /// What stands around every page.
    FrameTexts {
        lang: "es", "en";
        other_lang: "en", "es";
        password: "Contraseña", "Password";
        skip: "Saltar al contenido", "Skip to content";
        menu: "Menú principal", "Main menu";
        home: "Inicio", "Home";
        payments: "Pagos", "Payments";
        links: "Enlaces", "Links";
        subscriptions: "Suscripciones", "Subscriptions";
        accounts: "Cuentas", "Accounts";
        integrations: "Integraciones", "Integrations";
        me: "Mi cuenta", "My account";
        sign_out: "Salir", "Sign out";
        other_language: "English", "Español";
        test: "Prueba", "Test";
        test_mode: "Modo de prueba", "Test mode";
        test_mode_text: "Nada de lo que ve aquí es dinero.", "Nothing you see here is money.";
        test_mode_end: "Salir del modo de prueba", "Exit test mode";
        copy: "Copiar", "Copy";
        copied: "Copiado", "Copied";
        help_title: "Teclas", "Keyboard shortcuts";
        help_search: "busca en esta página", "search this page";
        help_help: "muestra esta ayuda", "show this help";
        help_close: "Cerrar", "Close";
        code: "Código del segundo factor", "Two-step verification code";
        code_hint: "Seis dígitos de su aplicación, o un código de recuperación.", "Six digits from your app, or a recovery code.";
        file: "Archivo", "File";
        file_again: "El archivo no se guardó: elíjalo otra vez.", "The file was not saved. Choose it again.";
        previous: "Anterior", "Previous";
        next: "Siguiente", "Next";
        page: "Página", "Page";
        in_all: "en total", "in total";
        times: "Las horas son de Caracas.", "Times are in Caracas time.";
    }
}
