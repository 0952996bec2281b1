CREATE TABLE "spend_alert" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"scope" text NOT NULL,
	"subject" text NOT NULL,
	"project_id" text,
	"percent" integer,
	"threshold_micros" bigint,
	"channel" text NOT NULL,
	"recipients" text NOT NULL,
	"subject_prefix" text,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "spend_alert_firing" (
	"organization_id" text NOT NULL,
	"alert_id" text NOT NULL,
	"start" bigint NOT NULL,
	"threshold_micros" bigint NOT NULL,
	"micros" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "spend_alert_firing_organization_id_alert_id_start_threshold_micros_pk" PRIMARY KEY("organization_id","alert_id","start","threshold_micros")
);
--> statement-breakpoint
CREATE TABLE "spend_count" (
	"organization_id" text NOT NULL,
	"subject" text NOT NULL,
	"start" bigint NOT NULL,
	"micros" bigint NOT NULL,
	CONSTRAINT "spend_count_organization_id_subject_start_pk" PRIMARY KEY("organization_id","subject","start")
);
--> statement-breakpoint
ALTER TABLE "spend_alert" ADD CONSTRAINT "spend_alert_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "spend_alert_by_subject" ON "spend_alert" USING btree ("organization_id","subject");--> statement-breakpoint
CREATE INDEX "spend_alert_by_project" ON "spend_alert" USING btree ("organization_id","project_id","id");--> statement-breakpoint
CREATE INDEX "spend_alert_firing_by_time" ON "spend_alert_firing" USING btree ("created_at");