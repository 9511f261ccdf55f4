-- Charts and the audit log are read by time, every few seconds; in the order of the sequence a window with few entries reads all of the log.
CREATE INDEX audit_log_time ON audit_log (org_id, time, sequence);
