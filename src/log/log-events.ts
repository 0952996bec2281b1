/**
 * The names of log events and what each says, at the level that it is logged at. Names are stable: alerts match them.
 * docs/monitoring.md has them as a table, and a log takes no other name.
 */

const EVENTS_OF = {
  error: {
    charge_cancel_failed: "A failed charge could not be cancelled yet; it is tried again.",
    charge_refund_failed: "What the server did not deliver of a charged request could not be refunded.",
    file_unreadable:
      "The content of a file is missing in LOQUAT_FILES, or not as it was written. Its reader got a part of it.",
    handover_failed: "The successor did not become ready: this server goes on.",
    deletion_mail_failed:
      "A mail to an owner of an organization that is about to be deleted could not be sent. It is tried again.",
    deletion_mail_given_up:
      "A mail to an owner of an organization that is about to be deleted was not sent: five attempts failed, or the address is refused.",
    alert_failed: "A mail of an alert could not be sent. It is tried again.",
    alert_given_up: "A mail of an alert was not sent: five attempts failed, or the address is refused.",
    database_unavailable: "The database does not answer, or its disk is full. Billable requests get 503.",
    database_log_damaged:
      "loquat.db-wal was damaged: what was committed last is lost. Its copy is kept; restore a backup if that is newer.",
    descriptors_exhausted:
      "The process can open hardly any more connections and files: its limit. What needs one gets 503. Raise the limit (LimitNOFILE, ulimit -n).",
    disk_full: "The disk of LOQUAT_DATA has less than 16 MiB free. Billable requests get 503.",
    identity_error: "The sign-in library reported an error.",
    mail_failed:
      "A mail about an account could not be sent. `again`: whether it is tried again, also after a restart.",
    notice_failed: "Owners could not be told by mail about auto-recharge. It is tried again.",
    notice_given_up:
      "Owners were not told by mail about auto-recharge: five attempts failed, their address is refused, or none has a verified one.",
    payment_currency_unexpected: "A payment in another currency than US dollars was not credited.",
    request_failed: "A request failed on the server's side: its code, and the cause with its stack.",
    second_factor_unreadable:
      "The stored second factor of a user cannot be decrypted: LOQUAT_SECRET, or the generated one, is another than before.",
    serve_failed: "The server could not start, or ended by an error: why.",
    starting_credit_failed: "A new organization did not get its starting credit.",
    upstream_credential_refused:
      "An upstream refuses our credential, or it cannot be read. At most one line a minute for each server.",
    work_given_up: "Work such as a mail was not done: its kind, and how many attempts were begun.",
    stream_failed: "A streamed response ended before it was complete.",
  },
  warn: {
    events_unavailable: "What is about to expire could not be looked for. It is tried again.",
    aliases_unavailable: "Aliases could not be read again. Those that were read last stay in force.",
    prices_unavailable: "Prices could not be read again. Those that were read last hold.",
    company_sign_in_refused:
      "A person who came back from the sign-in provider was not signed in: the code, and the cause if there is one.",
    sign_in_provider_unavailable:
      "The sign-in provider did not answer, or answered as another one: which, and why. It is asked again.",
    card_setup_refresh_failed: "The state of a saved card could not be asked from Stripe.",
    card_not_removed:
      "The card of a deleted organization stays at Stripe: payments are not configured. Remove it there.",
    clock_apart: "The clock of this node is more than five seconds from the database's: aheadSeconds of it.",
    conversation_unusable: "The definition of a conversation cannot be used, and is left out.",
    conversations_unavailable:
      "Conversations could not be read again. Those that were read last stay in force.",
    database_empty:
      "The database was empty, but first-key has a key of an earlier one, which is kept: replaced.",
    engine_node_left: "The connection with an engine node has ended. Its tasks are tried on others.",
    engine_node_faulty:
      "An engine node answered what cannot be an answer, or not in time. out: its engine gets no tasks for a while.",
    node_refused: "A node has the secret, but the connection with it cannot be used: why.",
    node_unreachable:
      "A node of LOQUAT_ENGINES or LOQUAT_JOIN could not be reached. It is tried again until it answers.",
    file_not_deleted: "What had come of a file that was given up could not be deleted. It is tried again.",
    files_not_deleted:
      "Files that had expired or were deleted still have contents. The next minute tries again.",
    drain_incomplete: "LOQUAT_DRAIN_SECONDS have passed: what was still under way got 503.",
    limit_store_unavailable: "The shared store of limits does not answer: this node counts limits by itself.",
    limits_file_damaged: "The file of limits was damaged and moved away. A new one starts at zero.",
    log_lines_dropped: "Standard error was not read: so many lines were dropped before this one.",
    mail_suppressed: "A mail was not sent: too many went to one address.",
    node_name_taken: "Another process reports itself under this LOQUAT_NODE. Set it to another name.",
    package_damaged:
      "The manifest of an installed package cannot be used: why. The package is left out until it can.",
    package_license_not_accepted: "A package of LOQUAT_PULL needs LOQUAT_ACCEPT_LICENSES.",
    package_pull_failed: "A package could not be installed.",
    reconcile_failed: "A payment could not be compared with Stripe. The next run tries again.",
    request_log_failed: "A row of the request log could not be written.",
    retention_failed: "Old rows could not be deleted. The next run tries again.",
    top_up_refresh_failed: "The state of a purchase could not be asked from Stripe.",
    trace_collector_unavailable:
      "Traces could not be delivered. They are dropped and counted until it works again.",
    upstream_request_failed:
      "A request to an upstream failed: kind and server. At most one line a minute for each kind and server.",
    language_model_unknown:
      "The server of LOQUAT_LLM_URL does not say which model it has; it is asked again.",
    upstream_models_unknown: "A followed upstream could not be asked for its models, which stay as they are.",
    upstream_unusable: "The definition of an upstream, or one of its language models, is left out: why.",
    upstreams_unavailable: "Upstreams could not be read again. Those that were read last stay in force.",
    worker_ended: "A thread or process ended unexpectedly. Another is started, after a pause if it repeats.",
    batch_step_failed: "A step of a batch failed. `again`: whether it is tried again.",
    job_attempt_failed: "An attempt at a job failed. `again`: whether it is tried again.",
    job_failed: "A job failed, and cost nothing: how many attempts were begun, and the cause.",
    jobs_not_deleted: "Results of jobs that have expired could not be deleted. The next minute tries again.",
    work_failed:
      "An attempt at work such as a mail failed: its kind. `again`: whether it is tried again, also after a restart.",
    work_unavailable: "Work that is due could not be read from the database. The next second tries again.",
    wyoming_announcement_failed: "The port of Wyoming could not be announced to the local network.",
    wyoming_port_unusable:
      "The port of Wyoming that was set in the dashboard cannot be opened; it stays closed.",
    wyoming_key_unusable: "The key of Wyoming's port cannot be used; its requests are refused.",
  },
  info: {
    audit: "LOQUAT_AUDIT_LOG: a change. The fields are those of the audit log.",
    api_node_joined: "An API node uses this engine node.",
    api_node_left: "The connection with an API node has ended.",
    engine_node_joined: "An engine node is connected, and its engines are used.",
    closing: "The server stops: how many requests and sessions are under way.",
    limit_store_available: "The shared store of limits answers again.",
    log_level_changed: "SIGUSR2 changed the level.",
    mail_written_to_file: "A mail was written to a file, because SMTP_URL is not set.",
    account_deleted: "A person deleted their account.",
    organization_deleted: "An organization was deleted. A day later it is looked at once more.",
    organization_deletion_asked: "An operator asked to delete an organization. `now`: at once.",
    organization_status_changed: "An operator suspended or activated an organization.",
    package_pull_notice: "What an installation found worth knowing.",
    package_pull_progress: "How much of a package is downloaded.",
    package_pulled: "A package was installed at start.",
    plan_changed: "An operator changed the plan of an organization.",
    credit_taken_back: "An operator took credit of a grant back.",
    sign_up_chosen: "An operator chose who may sign up.",
    selling_tested: "An operator tried mail, payments or the public address; `isMet` says whether it works.",
    user_approved: "An operator vouched for the address of someone who had signed up.",
    user_removed: "An operator deleted someone whose address was not verified.",
    password_link_made: "An operator made a link that sets a new password.",
    codes_created: "An operator created voucher codes.",
    code_voided: "An operator voided a voucher code.",
    top_up_refunded: "An operator refunded a payment.",
    webhook_disabled:
      "A webhook endpoint was switched off: failing for days, or gone (410). Owners get a mail.",
    database_available: "The database answers again.",
    descriptors_available: "Enough connections and files can be opened again.",
    disk_available: "The disk of LOQUAT_DATA has space again.",
    handover_started: "An upgrade or a reload was asked for: this server starts its successor.",
    trace_collector_available: "Traces are delivered again.",
    waiting_for_server: "The previous server still ends: this one waits for it, for so many seconds at most.",
    took_over: "This server replaced another one, which has ended.",
    request: "An audio request ended. LOG_REQUESTS decides which are logged.",
    language_model_added: "The language model that the environment names is in use.",
    upstream_models_changed: "A followed upstream lists other models than before, which are offered now.",
  },
  debug: {
    client_left: "A client left before its response.",
    request_rejected: "A request was refused: its code.",
  },
} as const;

type Events = typeof EVENTS_OF;

export type EventLevel = keyof Events;

/** The events of a level. */
export type EventName<Name extends EventLevel> = keyof Events[Name] & string;

/** @public for the table in docs/monitoring.md */
export const EVENTS: Record<EventLevel, Record<string, string>> = EVENTS_OF;
