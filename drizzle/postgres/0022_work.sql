CREATE TABLE "event" (
	"id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"organization_id" text,
	"project_id" text,
	"data" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "work" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"group_id" text DEFAULT '' NOT NULL,
	"due_ms" bigint NOT NULL,
	"expires_ms" bigint,
	"lease_node" text,
	"lease_until_ms" bigint DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"payload" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "billing_account" ADD COLUMN "card_expiry_told" integer;--> statement-breakpoint
ALTER TABLE "billing_account" ADD COLUMN "low_balance_due" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "event_by_time" ON "event" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "event_by_organization" ON "event" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "work_due" ON "work" USING btree ("kind","due_ms");--> statement-breakpoint
CREATE INDEX "work_leased" ON "work" USING btree ("kind","group_id") WHERE lease_until_ms > 0;--> statement-breakpoint
CREATE INDEX "work_expiring" ON "work" USING btree ("expires_ms") WHERE expires_ms is not null;