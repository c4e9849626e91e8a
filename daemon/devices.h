/* devices.h - what foldd --check says of the CUDA devices. */
#ifndef DAEMON_DEVICES_H
#define DAEMON_DEVICES_H

#include <stdio.h>

/* One comment line for each device, each asked to compute; or why there is
 * none. Jobs run on the CPU all the same, so nothing here is a failure. */
void devices_print(FILE *out);

#endif
