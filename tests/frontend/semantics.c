/* One expression after the other whose value depends on types, conversions and layout; gcc and fsoft must compute the same checksum. */
#include <stdio.h>
#include <string.h>
#include <stddef.h>
#include <stdlib.h>
unsigned long long fsoft_result = 1469598103934665603ULL;
static void out(unsigned long long v) { fsoft_result = (fsoft_result ^ v) * 1099511628211ULL; }
struct p { int x, y; }; struct q { char c; struct p p[2]; short s; };
struct big { int a[3]; char n[5]; }; 
static struct big mk(int k) { struct big b = {{k, k+1, k+2}, "ab"}; b.n[2] = k; return b; }
union u { unsigned i; unsigned char b[4]; float f; short s[2]; };
struct bf { int a:3; unsigned b:5; long long c:40; unsigned long long d:33; _Bool e:1; int :0; unsigned short g:9; signed char h:2; };
struct __attribute__((packed)) pk { char c; int i; long long l; short b:5, d:11; };
enum col { R, G = 5, B }; enum neg { N = -2, M };
static int kr(a, b) char a; float b; { return a * 2 + b; }
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; }
static op table[] = { add, [2] = sub, [1] = add };
static int cnt(void) { static int n = 3; return n++; }
static int sw(int x) { switch (x) { case 0: return 1; case 1 ... 3: x += 10; case 7: x++; break; default: x = -x; } return x; }
static int gotos(int n) { int r = 0; again: if (n > 0) { r += n--; goto again; } { goto inside; r = 100; inside: r++; } return r; }
#define MAX(a,b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
struct list { struct list *next; int v; }; 
static struct list l3 = {0, 3}, l2 = {&l3, 2}, l1 = {&l2, 1};
static const char *names[] = {"zero", "one", [4] = "four"};
static int arr2[3][4] = {{1,2},{[2]=7},{0}};
static struct { int n; union { struct { short a, b; }; int c; }; } anon = {1, {.b = 2}};
static int *ptrs[2] = {&arr2[1][2], arr2[2] + 1};
struct flex { int n; short d[]; }; static struct flex fx = {3, {1,2,3}};
static unsigned char wrapc(int x) { return x; }
static float ff(float x) { return x * 1.1f; }
int main(void) {
  struct q q = {.p[1].y = 4, 5, .c = -1}; out(q.c); out(q.p[0].x); out(q.p[1].y); out(q.s);
  out(mk(7).a[1]); out(mk(3).n[2]); struct big bb[2]; bb[1] = mk(9); bb[0] = bb[1]; out(bb[0].a[2] + bb[0].n[0]);
  union u u; u.f = 1.5f; out(u.i); out(u.b[3]); u.s[1] = -1; out(u.i);
  struct bf f = {-1, 33, -5, -1, 7, 600, 1}; out(f.a); out(f.b); out(f.c); out(f.d); out(f.e); out(f.g); out(f.h);
  out(f.b = 40); out(f.a += 2); out(f.a++); out(f.a); out(++f.b); out(f.d << 3); out(f.c >> 2); out(f.d + 1); out(-f.b); out(f.d * f.d); out(f.c - 1 < 0); out(f.b - 40 < 0); out(f.e++); out(f.e--); out(f.e); out(~f.d); out(f.h = 3); 
  struct pk pk = {1, -2, 3000000000LL, -3, 1000}; out(pk.i); out(pk.l); out(pk.b); out(pk.d); out(sizeof pk); int *pi = &pk.i; out(*pi);
  out((enum col)-1 < 0); out((enum neg)-1 < 0); enum col c = B; out(c - 7 < 0); enum neg ng = N; out(ng - 1 < 0); out(c++); out(c);
  out(kr(300, 2.5)); for (int i = 0; i < 3; i++) out(table[i](10, i)); out((*table[2])(1, 2)); out((**add)(1,2)); cnt(); out(cnt());
  for (int i = -1; i < 9; i++) out(sw(i)); out(gotos(4));
  out(MAX(3, 4u)); out(MAX(-1, 2)); out(MAX((char)-1, (short)-3));
  int sum = 0; for (struct list *l = &l1; l; l = l->next) sum = sum * 10 + l->v; out(sum);
  out(names[1][1]); out(names[2] == 0); out(strlen(names[4])); out(sizeof names / sizeof *names);
  out(arr2[1][2]); out(*(*(arr2 + 1) + 2)); out(*ptrs[0]); out(ptrs[1] - &arr2[0][0]); int (*row)[4] = &arr2[1]; out(row[0][2]); out((*row)[2]); out(&arr2[2] - arr2);
  out(anon.b); out(anon.c); out(fx.d[2]); out(sizeof fx); out(wrapc(300)); out((signed char)200); out((unsigned short)-1); out((_Bool)0.1); out((_Bool)(void*)0);
  char ch = 127; ch++; out(ch); unsigned char uc = 0; uc--; out(uc); short sh = 32767; sh += 1; out(sh); uc = 200; uc += 100; out(uc); uc >>= 1; out(uc); uc = ~uc; out(uc); uc *= 0.5; out(uc); int in = 7; in /= 2.0; out(in); in <<= 2L; out(in); in = -7; out(in / 2); out(in % 3); out(in >> 1); out((unsigned)in >> 28); out(in < 1u); out(-1L < 1u); out((long long)-1 < 1u);
  _Bool b = 5; out(b); b += 3; out(b); b--; out(b); b--; out(b); ++b; out(b); b ^= 1; out(b); 
  int x = 1; x = (x++, x + 5); out(x); out(x ? 1 : 2.5); out(sizeof(x ? 1 : 2.5)); out((x, 3)); x = (x--, x - 1); out(x);
  int *lit = (int[]){4, 5, 6}; out(lit[2]); struct p *pp; for (int i = 0; i < 3; i++) { pp = &(struct p){i, .y = i * 2}; out(pp->y); }
  __auto_type av = 3.5f; out(av * 2); typeof(x) *px = &x; out(*px); out(_Generic(av, float: 1, default: 2)); out(_Generic(&x, int *: 3, default: 4));
  out(offsetof(struct q, p[1].y)); out(sizeof(struct q)); out(_Alignof(struct q)); out(__alignof__(short)); out('ab'); out('\xff'); out(L'\x1234'); out("abc"[1]); out(2["xyz"]);
  out(__builtin_popcount(x)); out(__builtin_clz(x | 1)); out(__builtin_ctz(8 + x * 16)); out(__builtin_bswap32(x)); out(__builtin_ffs(x)); int ov; out(__builtin_add_overflow(2147483647, x, &ov)); out(ov); out(__builtin_mul_overflow((short)x, 3u, &ov)); out(ov);
  float fl = 0.1f; double d = fl; out(d == 0.1); out(d * 1e9); out(ff(fl) * 1e9); out((int)-2.7); out((unsigned char)3.99f); out(fl + 0.2 > 0.3); d = 1e18; out((long long)d + 1); out((float)16777217); out(5 / 2 * 2.0); fl += 1; fl++; out(fl * 1000); out(-fl < 0); out(!fl); out(fl ? 1 : 0); out((unsigned)(d / 1e10)); out(0x1.8p1 * 2);
  int n = 5; do { if (n == 3) continue; out(n); } while (--n > 0); for (n = 0; ; n++) { if (n == 2) continue; if (n > 4) break; out(n); }
  unsigned us = 1; out(us - 2 > 0); out((us << 31) >> 31); out(us << 31 >> 3); long lo = -5; out(lo % 3); out(lo / 2); unsigned long ul = -1; out(ul / 3); out(ul % 10); long long ll = 1LL << 40; out(ll); out((int)ll); out((int)(ll >> 20)); out(ll & 0xffffffff00u); out(1 ? -1 : 0u); out((1 ? -1 : 0u) > 0);
  out(sizeof(int[3][4])); out(sizeof "ab" "cd"); out(sizeof((char)1 + (char)1)); out(sizeof(!1.0)); out(sizeof(long)); out(x ?: 9); out(0 ?: 8); void *vp = &arr2; out((char *)(vp + 4) - (char *)vp); out(vp == arr2); out(&arr2[0] == (void*)&arr2); out(!vp); out(vp && x);
  struct p a1 = {1, 2}, a2 = a1, *ap = &a2; a2.x = 9; *ap = n > 100 ? a2 : a1; out(ap->x); struct p a3[2] = {a1, {3, 4}}; out(a3[1].y + a3[0].y); a3[0] = a3[1]; out(a3[0].x); out(({ struct p t = {7, 8}; t; }).y);
  char buf[8] = "hi"; out(buf[2] + buf[7]); char *s = buf; while (*s) out(*s++); s = buf; *s++ = 'X'; out(buf[0]); *++s = 'Y'; out(buf[2]); memset(buf, 'z', 3); out(buf[2]); out(memcmp(buf, "zzz", 3)); 
  struct q again = {.p[1].y = 5, .p = {[0] = {.x = 9}}, .p[1].x = 3}; out(again.p[1].y); out(again.p[1].x); out(again.p[0].x); char twice[2][4] = {[0] = "abc", [0] = "x"}; out(twice[0][2]);
  union u other = {.i = 0x01020304, .b = {5}}; out(other.i); static union u stay = {.s[0] = 1, .s[1] = 2, .b[0] = 7, .b[1] = 8}; out(stay.i); union u first = {7, .b[1] = 2}; out(first.i);
  printf("%llx\n", fsoft_result); return 0; }
