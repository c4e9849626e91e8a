/* reply.h - an exchange's response onto its connection. */
#ifndef DAEMON_REPLY_H
#define DAEMON_REPLY_H

#include "daemon/exchange.h"

/* By libmicrohttpd; possible before the body begins and after it has ended.
 * MHD_NO: the connection is to be closed. */
enum MHD_Result reply_queue(struct exchange *exchange);

/* While the body still comes, when libmicrohttpd takes no response: straight
 * to the socket, without waiting, and then nothing more is sent on it. Only
 * for problems, which fit the socket's buffer. */
void reply_early(struct exchange *exchange);

#endif
