# SPDX-License-Identifier: Apache-2.0
"""processor_time.py COMMAND...: runs a command and adds to its output the processor time that it took."""
import resource
import subprocess
import sys

status = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"processor time    {used.ru_utime + used.ru_stime:.3f} s")
sys.exit(status if status >= 0 else 128 - status)
