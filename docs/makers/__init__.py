"""What writes pages of docs/ that nobody writes by hand: the record, the calibration, the configuration."""
