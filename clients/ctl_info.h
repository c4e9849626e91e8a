/* ctl_info.h - GET /v1/info as tables for people. */
#ifndef CLIENTS_CTL_INFO_H
#define CLIENTS_CTL_INFO_H

#include <jansson.h>
#include <stdio.h>
#include "clients/ctl_exit.h"

/* info: from ctl_json_read(). */
enum ctl_exit ctl_info_print(const json_t *info, FILE *stream);

#endif
