CREATE TABLE "alert_recipient" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"email" text NOT NULL,
	"state" text NOT NULL,
	"nonce" text NOT NULL,
	"tells_balance" boolean DEFAULT false NOT NULL,
	"asked_at" bigint,
	"answered_at" bigint,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alert_recipient" ADD CONSTRAINT "alert_recipient_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "alert_recipient_by_email" ON "alert_recipient" USING btree ("organization_id","email");