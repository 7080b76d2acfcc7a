#ifndef _FSOFT_STDIO_H
#define _FSOFT_STDIO_H
#include <stddef.h>
#include <stdarg.h>
#include <sys/types.h>
typedef struct __fsoft_file FILE;
#define stdin ((FILE *)1)
#define stdout ((FILE *)2)
#define stderr ((FILE *)3)
#define EOF (-1)
#define BUFSIZ 8192
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
int dprintf(int file, const char *format, ...);
int sprintf(char *s, const char *format, ...);
int snprintf(char *s, size_t size, const char *format, ...);
int vprintf(const char *format, va_list list);
int vfprintf(FILE *stream, const char *format, va_list list);
int vsprintf(char *s, const char *format, va_list list);
int vsnprintf(char *s, size_t size, const char *format, va_list list);
int vdprintf(int file, const char *format, va_list list);
int asprintf(char **s, const char *format, ...);
int vasprintf(char **s, const char *format, va_list list);
int vscanf(const char *format, va_list list);
int vfscanf(FILE *stream, const char *format, va_list list);
int vsscanf(const char *s, const char *format, va_list list);
int scanf(const char *format, ...);
int fscanf(FILE *stream, const char *format, ...);
int sscanf(const char *s, const char *format, ...);
int puts(const char *s);
int fputs(const char *s, FILE *stream);
int putchar(int c);
int putc(int c, FILE *stream);
int fputc(int c, FILE *stream);
int getchar(void);
int getc(FILE *stream);
int fgetc(FILE *stream);
int ungetc(int c, FILE *stream);
char *fgets(char *s, int size, FILE *stream);
void perror(const char *s);
int fflush(FILE *stream);
void setbuf(FILE *stream, char *buffer);
int setvbuf(FILE *stream, char *buffer, int mode, size_t size);
FILE *fopen(const char *name, const char *mode);
FILE *fdopen(int file, const char *mode);
int fclose(FILE *stream);
int feof(FILE *stream);
int ferror(FILE *stream);
int fileno(FILE *stream);
size_t fread(void *data, size_t size, size_t count, FILE *stream);
size_t fwrite(const void *data, size_t size, size_t count, FILE *stream);
int fseek(FILE *stream, long offset, int whence);
long ftell(FILE *stream);
void rewind(FILE *stream);
int remove(const char *name);
int rename(const char *from, const char *to);
ssize_t getline(char **line, size_t *size, FILE *stream);
#endif
