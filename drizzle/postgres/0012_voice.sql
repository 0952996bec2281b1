CREATE TABLE "voice" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"model" text NOT NULL,
	"engine" text,
	"blend" text,
	"duration_ms" integer,
	"consent" text,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "voice_part" (
	"voice_id" text NOT NULL,
	"part" text NOT NULL,
	"sealed" "bytea" NOT NULL,
	CONSTRAINT "voice_part_voice_id_part_pk" PRIMARY KEY("voice_id","part")
);
--> statement-breakpoint
ALTER TABLE "voice" ADD CONSTRAINT "voice_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "voice_part" ADD CONSTRAINT "voice_part_voice_id_voice_id_fk" FOREIGN KEY ("voice_id") REFERENCES "public"."voice"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "voice_by_organization" ON "voice" USING btree ("organization_id","id");