CREATE TABLE "mail_outbox" (
	"id" text PRIMARY KEY NOT NULL,
	"sealed" text NOT NULL,
	"attempts" integer NOT NULL,
	"not_before" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "mail_outbox_by_time" ON "mail_outbox" USING btree ("not_before");