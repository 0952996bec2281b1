/** The error codes of files, of uploads, and of the jobs that read them. */

export const FILE_CODES = {
  too_many_files: {
    status: 409,
    meaning: "The organization stores as much as it may.",
    message: "Your organization may store 2 GB of files, and this would be more. Delete some first.",
  },
  upload_ended: {
    status: 409,
    meaning: "The upload is completed, cancelled or expired: it takes no more parts.",
    message: "The upload is cancelled. Create another one.",
  },
  file_in_use: {
    status: 409,
    meaning: "A job that has not ended reads the file.",
    message: "A job reads this file. Delete it once the job has ended, or cancel the job.",
  },
  too_many_jobs: {
    status: 429,
    meaning: "As many jobs wait as the organization may have.",
    message: "Your organization may have 5 jobs that wait. Wait for one to begin, or cancel one.",
  },
  job_not_finished: {
    status: 409,
    meaning: "The job has not ended, so there is no result yet.",
    message: "The job is in progress. Ask again once it is completed.",
  },
} as const;
