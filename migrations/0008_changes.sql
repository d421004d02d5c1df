-- What has changed since a state of the index, for those who follow it.
CREATE INDEX document_by_rev ON document (rev);
