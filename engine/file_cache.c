#include "config.h"
#include "engine/file_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "engine/resident.h"
#include "engine/resident_source.h"

#define ENTRIES_MOST 4096u /* each is looked at in a search; chosen */
#define SEEN_MOST 1024u    /* files read once that are remembered; chosen */
#define PIECE (4u << 20)   /* bytes read at a time; a multiple of every element's size */

struct entry {
	struct entry *newer, *older;
	char *key;
	struct resident *array;
};

struct file_cache {
	struct arrays *arrays;
	uint64_t limit;

	pthread_mutex_t lock; /* guards what follows */
	struct entry ring;    /* ring.older is the newest, ring.newer the oldest */
	uint64_t bytes, count, hits, misses;
	uint64_t seen[SEEN_MOST]; /* hashes of keys; 0: none */
	unsigned seen_next;
};

static void unlink_entry(struct file_cache *cache, struct entry *entry)
{
	entry->newer->older = entry->older;
	entry->older->newer = entry->newer;
	cache->bytes -= entry->array->bytes;
	cache->count--;
}

static void link_newest(struct file_cache *cache, struct entry *entry)
{
	entry->newer = &cache->ring;
	entry->older = cache->ring.older;
	entry->older->newer = entry;
	cache->ring.older = entry;
	cache->bytes += entry->array->bytes;
	cache->count++;
}

static void free_entry(struct entry *entry)
{
	if (entry == NULL)
		return;
	resident_release(entry->array);
	free(entry->key);
	free(entry);
}

/* Out of the ring, not freed: that takes a device's time, and no lock is held then. */
static struct entry *take_oldest(struct file_cache *cache)
{
	struct entry *entry;

	pthread_mutex_lock(&cache->lock);
	entry = cache->ring.newer != &cache->ring ? cache->ring.newer : NULL;
	if (entry != NULL)
		unlink_entry(cache, entry);
	pthread_mutex_unlock(&cache->lock);
	return entry;
}

/* For arrays that find no room in the budget. */
static bool give_way(void *context)
{
	struct entry *entry = take_oldest(context);

	free_entry(entry);
	return entry != NULL;
}

enum status file_cache_create(uint64_t limit, struct arrays *arrays, struct file_cache **out,
			      struct error *err)
{
	struct file_cache *cache = calloc(1, sizeof(*cache));

	if (cache == NULL)
		return fail(err, STATUS_OUT_OF_MEMORY, "no memory for a cache of files");
	cache->arrays = arrays;
	cache->limit = limit;
	cache->ring.newer = cache->ring.older = &cache->ring;
	pthread_mutex_init(&cache->lock, NULL);
	arrays_set_reclaim(arrays, give_way, cache);
	*out = cache;
	return STATUS_OK;
}

void file_cache_destroy(struct file_cache *cache)
{
	if (cache == NULL)
		return;
	arrays_set_reclaim(cache->arrays, NULL, NULL);
	while (give_way(cache))
		;
	pthread_mutex_destroy(&cache->lock);
	free(cache);
}

static struct entry *find(struct file_cache *cache, const char *key)
{
	for (struct entry *entry = cache->ring.older; entry != &cache->ring; entry = entry->older)
		if (strcmp(entry->key, key) == 0)
			return entry;
	return NULL;
}

/* A reference of the caller's; NULL: there is none. Counts. */
static struct resident *look_up(struct file_cache *cache, const char *key)
{
	struct resident *array = NULL;
	struct entry *entry;

	pthread_mutex_lock(&cache->lock);
	entry = find(cache, key);
	if (entry != NULL) {
		unlink_entry(cache, entry);
		link_newest(cache, entry);
		array = resident_keep(entry->array);
		cache->hits++;
	} else {
		cache->misses++;
	}
	pthread_mutex_unlock(&cache->lock);
	return array;
}

/* FNV-1a; not 0. Two keys of one hash cost no more than a file kept too early. */
static uint64_t hash_of(const char *key)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *key != '\0'; key++)
		hash = (hash ^ (unsigned char)*key) * 0x100000001b3;
	return hash | 1;
}

static bool was_seen(struct file_cache *cache, const char *key)
{
	const uint64_t hash = hash_of(key);
	bool found = false;

	pthread_mutex_lock(&cache->lock);
	for (unsigned i = 0; i < SEEN_MOST && !found; i++)
		found = cache->seen[i] == hash;
	if (!found) {
		cache->seen[cache->seen_next] = hash;
		cache->seen_next = (cache->seen_next + 1) % SEEN_MOST;
	}
	pthread_mutex_unlock(&cache->lock);
	return found;
}

/* What there is, and one of so many bytes more; 0: none more. */
static bool fits(struct file_cache *cache, uint64_t bytes)
{
	bool yes;

	pthread_mutex_lock(&cache->lock);
	yes = cache->bytes <= cache->limit && bytes <= cache->limit - cache->bytes &&
	      cache->count + (bytes > 0) <= ENTRIES_MOST;
	pthread_mutex_unlock(&cache->lock);
	return yes;
}

/* In place of one of the same key. */
static void keep(struct file_cache *cache, struct entry *entry)
{
	struct entry *same;

	pthread_mutex_lock(&cache->lock);
	same = find(cache, entry->key);
	if (same != NULL)
		unlink_entry(cache, same);
	link_newest(cache, entry);
	pthread_mutex_unlock(&cache->lock);
	free_entry(same);
	/* Others may have been read meanwhile, each of which fitted alone. */
	while (!fits(cache, 0))
		give_way(cache);
}

static struct entry *make_entry(struct file_cache *cache, const struct source *from, uint64_t bytes)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	if (entry == NULL)
		return NULL;
	entry->key = strdup(from->key);
	entry->array = arrays_new(cache->arrays, "");
	if (entry->key == NULL || entry->array == NULL ||
	    (from->file != NULL && !resident_set_file(entry->array, from->file))) {
		free_entry(entry);
		return NULL;
	}
	entry->array->desc = from->desc;
	entry->array->bytes = bytes;
	return entry;
}

/* Memory for it; older entries go where that makes room. NULL: there is none. */
static struct entry *make_room(struct file_cache *cache, const struct source *from)
{
	struct entry *entry;
	uint64_t count, bytes;

	if (array_count(&from->desc, &count, NULL) != STATUS_OK || count == 0)
		return NULL;
	bytes = count * dtype_size(from->desc.dtype);
	if (bytes > cache->limit)
		return NULL;
	entry = make_entry(cache, from, bytes);
	while (entry != NULL && !fits(cache, bytes))
		if (!give_way(cache))
			break;
	/* No copy: the file is one. */
	if (entry != NULL && resident_hold(entry->array, bytes, 0, false, NULL) != STATUS_OK) {
		free_entry(entry);
		return NULL;
	}
	return entry;
}

/* *kept: all of it lies in the entry. */
static enum status read_all(struct source *from, struct resident *array,
			    const struct file_cache_reader *reader, bool *kept, struct error *err)
{
	const size_t element = dtype_size(from->desc.dtype);
	const uint64_t room = PIECE / element;
	char *piece = malloc(PIECE);
	uint64_t at = 0, got = room;
	enum status status = STATUS_OK;

	*kept = piece != NULL;
	while (*kept && got == room && status == STATUS_OK) {
		status = reader->check(reader->context, err);
		if (status == STATUS_OK)
			status = from->read(from, piece, room, &got, err);
		if (status == STATUS_OK)
			*kept = resident_write(array, at, piece, got * element, NULL) == STATUS_OK;
		at += got * element;
	}
	free(piece);
	if (status == STATUS_OK && *kept && from->verify != NULL)
		status = from->verify(from, err);
	return status;
}

enum status file_cache_get(struct file_cache *cache, struct source *from, enum cache_rule rule,
			   const struct file_cache_reader *reader, struct source **out,
			   struct error *err)
{
	struct resident *array = NULL;
	struct entry *entry;
	bool kept = false;
	enum status status;

	*out = NULL;
	if (from->key == NULL || rule == CACHE_NO || cache->limit == 0 ||
	    arrays_backend_state(cache->arrays, NULL) != STATUS_OK)
		return STATUS_OK;
	if (rule == CACHE_USE)
		array = look_up(cache, from->key);
	if (array != NULL) {
		status = source_from_resident(array, NULL, out, err);
		resident_release(array);
		return status;
	}
	if (rule == CACHE_USE && arrays_are_hosts(cache->arrays) && !was_seen(cache, from->key))
		return STATUS_OK;
	entry = make_room(cache, from);
	if (entry == NULL)
		return STATUS_OK;
	status = read_all(from, entry->array, reader, &kept, err);
	if (status == STATUS_OK && kept)
		status = source_from_resident(entry->array, NULL, out, err);
	if (status != STATUS_OK || !kept) {
		free_entry(entry);
		return status == STATUS_OK ? source_rewind(from, err) : status;
	}
	keep(cache, entry);
	return STATUS_OK;
}

void file_cache_figures(struct file_cache *cache, struct file_cache_figures *out)
{
	pthread_mutex_lock(&cache->lock);
	*out = (struct file_cache_figures){
		.limit = cache->limit,
		.bytes = cache->bytes,
		.entries = cache->count,
		.hits = cache->hits,
		.misses = cache->misses,
	};
	pthread_mutex_unlock(&cache->lock);
}
