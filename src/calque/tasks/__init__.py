"""What people do with bitext and models: one function a task, each behind the command of the same name."""
