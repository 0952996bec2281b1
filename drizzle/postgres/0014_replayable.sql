CREATE TABLE "replayable_request" (
	"organization_id" text NOT NULL,
	"id" text NOT NULL,
	"fingerprint" text NOT NULL,
	"request_id" text NOT NULL,
	"holder_id" text NOT NULL,
	"is_charged" boolean NOT NULL,
	"lease_until" bigint NOT NULL,
	"replays" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "replayable_request_organization_id_id_pk" PRIMARY KEY("organization_id","id")
);
--> statement-breakpoint
ALTER TABLE "request_log" ADD COLUMN "replay_of" text;--> statement-breakpoint
CREATE INDEX "replayable_request_by_expiry" ON "replayable_request" USING btree ("expires_at");