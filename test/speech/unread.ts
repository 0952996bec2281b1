/** An encoder that reads nothing and never ends. */
setInterval(() => {}, 60_000);
