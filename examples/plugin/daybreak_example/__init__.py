"""An example of Daybreak's plug-ins."""
