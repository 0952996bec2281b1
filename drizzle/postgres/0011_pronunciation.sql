CREATE TABLE "pronunciation" (
	"organization_id" text NOT NULL,
	"key" text NOT NULL,
	"word" text NOT NULL,
	"alias" text,
	"phonemes" text,
	CONSTRAINT "pronunciation_organization_id_key_pk" PRIMARY KEY("organization_id","key")
);
--> statement-breakpoint
ALTER TABLE "pronunciation" ADD CONSTRAINT "pronunciation_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;