CREATE TABLE "voice_consent" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"language" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "voice" ADD COLUMN "consent_id" text;--> statement-breakpoint
ALTER TABLE "voice_consent" ADD CONSTRAINT "voice_consent_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "voice_consent_by_organization" ON "voice_consent" USING btree ("organization_id","id");