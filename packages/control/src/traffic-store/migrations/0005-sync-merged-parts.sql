-- The embedded engine deletes the parts that it has merged at once, and leaves it to the operating system when the merged
-- part reaches the disk: a power cut shortly after a merge would take what was recorded long before. So merged parts are
-- synced before their sources go. This happens in the background; see docs/decisions/0091-what-a-power-cut-may-take.md.
ALTER TABLE requests MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE set_aside MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE traffic_minutes MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE traffic_hours MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE activity_hours MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE rules_minutes MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE rules_hours MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE routes_hours MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE routes_days MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE latency_hours MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE latency_days MODIFY SETTING min_rows_to_fsync_after_merge = 1;

ALTER TABLE stored_batches MODIFY SETTING min_rows_to_fsync_after_merge = 1;

