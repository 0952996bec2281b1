CREATE TABLE `requested_package` (
	`name` text PRIMARY KEY NOT NULL,
	`variants` text,
	`license_accepted` integer NOT NULL,
	`changed_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `web_asset` (
	`name` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`gzip` blob NOT NULL,
	`used_ms` integer NOT NULL
);
