/* One thread, three lights: red, green, yellow and again. What may follow what is said with past operators and with X. With
   STUCK it stays yellow. */
enum light { RED, GREEN, YELLOW };
enum light light = RED;
int changes;

int main(void) {
    while (1) {
        light = GREEN;
        light = YELLOW;
#ifdef STUCK
        while (1) {
        }
#endif
        light = RED;
        changes = (changes + 1) % 4;
    }
    return 0;
}
