"""The same work over many machines: shards that all of them see, and tasks that Ray spreads and repeats.

What is done is committed task by task in the output's folder, so that whoever dies, a worker or the driver, costs time
and nothing else.
"""
